import { expect, test } from "vitest";
import { duration, fineNumber, number, percent, signed, verdictKind } from "./format.ts";

test("numbers have two significant digits, a true minus, and a dash when missing", () => {
  expect([0.7449, 1.84, 12.3, 149.6, 0, 0.00042, -1.234].map(number)).toEqual([
    "0.74",
    "1.8",
    "12",
    "150",
    "0",
    "4.2e\u22124",
    "\u22121.2",
  ]);
  expect([null, undefined, Number.NaN].map(number)).toEqual(["–", "–", "–"]);
  expect([1.61, -0.3, 0, null].map(signed)).toEqual(["+1.6", "\u22120.30", "0", "–"]);
});

test("a share that is not quite 0 or 1 never reads as 0 or 100 per cent", () => {
  expect([0, 0.001, 0.45, 0.999, 1].map(percent).map((p) => p.replace("\u202f", ""))).toEqual([
    "0%",
    "<1%",
    "45%",
    ">99%",
    "100%",
  ]);
});

test("durations read as minutes and seconds", () => {
  expect([0, 32_400, 61_000, 3_725_000].map(duration)).toEqual(["0:00", "0:32", "1:01", "1:02:05"]);
});

test("a missing verdict is its own kind", () => {
  expect([null, 0, 0.5, 1].map(verdictKind)).toEqual(["missing", "fail", "part", "pass"]);
});

test("a digit more where it is asked for", () => {
  expect([0.7421, 1.8, -0.3, 150.4, null].map(fineNumber)).toEqual(["0.742", "1.80", "−0.300", "150", "–"]);
});
