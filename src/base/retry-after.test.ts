import { describe, expect, it } from "vitest";
import { retryAfterS } from "./retry-after.ts";

const asked = (headers: Readonly<Record<string, string>>, wallClock?: () => number): number | null =>
  retryAfterS(new Headers(headers), wallClock);

describe("retryAfterS", () => {
  it.each([
    ["0", 0],
    [" 17 ", 17],
    ["soon", null],
    ["-3", null],
    ["1.5", null],
    ["", null],
  ])("reads %j as %s", (value, seconds) => {
    expect(asked({ "Retry-After": value })).toBe(seconds);
  });

  it("counts a date from the answer's own, whatever the clock says", () => {
    const headers = { "Retry-After": "Sun, 01 Mar 2026 00:00:10 GMT", Date: "Sat, 28 Feb 2026 23:59:50 GMT" };
    expect(asked(headers, () => 0)).toBe(20);
  });

  it("counts a date from the clock where the answer's own cannot be read", () => {
    const until = { "Retry-After": "Fri, 31 Dec 2027 23:59:59 GMT" };
    const at = Date.UTC(2027, 11, 31, 23, 59, 0);
    expect(asked(until, () => at)).toBe(59);
    expect(asked(until, () => at + 58_400)).toBe(1);
    expect(asked(until, () => at + 90_000)).toBe(0);
    expect(asked(until)).toBeNull();
  });

  it("reads every day of thirty years as the language does, in each of HTTP's forms", () => {
    for (let day = 0; day < 30 * 365; day += 13) {
      const date = new Date(Date.UTC(2010, 0, 1, 5, 6, 7) + day * 86_400_000);
      const text = date.toUTCString();
      const [name = "", d = "", month = "", year = "", time = ""] = text.split(" ");
      const forms = [
        text,
        `${date.toLocaleDateString("en", { weekday: "long", timeZone: "UTC" })}, ${d}-${month}-${year.slice(2)} ${time} GMT`,
        `${name.slice(0, 3)} ${month} ${d.replace(/^0/, " ")} ${time} ${year}`,
      ];
      for (const form of forms)
        expect([form, asked({ "Retry-After": form }, () => 0)]).toEqual([form, date.getTime() / 1000]);
    }
  });

  it.each([
    "Sun, 06 Now 1994 08:49:37 GMT",
    "Sun, 06 anF 1994 08:49:37 GMT",
    "2026-11-30T10:00:00Z",
    "06 Nov 1994",
  ])("takes %s for no date", (value) => {
    expect(asked({ "Retry-After": value }, () => 0)).toBeNull();
  });
});
