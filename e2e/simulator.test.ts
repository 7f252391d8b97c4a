/** The simulator and the map on the built site, by mouse and by keyboard: what a slider changes, and what stays. */
import type { Locator, Page } from "playwright";
import { expect, test } from "vitest";
import { onFreshPage, type FreshPage } from "./fresh-page.ts";

const TEST_MS = 180_000;

let fresh: FreshPage;
let page: Page;
let sheet: Locator;

// the simulator needs no model: it opens before there is one
onFreshPage(
  (opened) => {
    fresh = opened;
    page = opened.play.page;
    sheet = page.getByRole("dialog", { name: "Simulator" });
  },
  { model: false },
);

const opener = (): Locator => page.getByRole("button", { name: "Simulator", exact: true });
const finished = (): Promise<void> =>
  sheet.getByRole("status").filter({ hasText: "over 20 seeds" }).waitFor();
/** The cells of a rule's row: final score, gain, mixed, steps, speed-up, never. */
const row = (rule: string): Promise<string[]> =>
  sheet.getByRole("row", { name: rule }).getByRole("cell").allTextContents();
const lesson = (): Promise<string | null> => sheet.locator(".simulator-lesson").textContent();
const number = (text: string | undefined): number => Number(text?.replace("×", ""));

/** Waits until the table says something else than before. */
async function changed(before: readonly string[]): Promise<void> {
  await page.waitForFunction((old) => {
    const cells = [...document.querySelectorAll(".outcome-table tbody tr:first-child td")];
    const busy = !(document.querySelector(".simulator-progress")?.textContent ?? "").startsWith("over");
    return !busy && cells.length > 0 && cells.map((cell) => cell.textContent).join() !== old;
  }, before.join());
}

test(
  "by mouse: the table's figures are those of the methods, and a perfect judge takes POW3R's lead away",
  async () => {
    await opener().click();
    await finished();
    const noisy = await row("POW3R");
    // 1.6 within 15 %, and most seeds of GDPO never arrive
    expect(number(noisy[4])).toBeGreaterThan(1.36);
    expect(number(noisy[4])).toBeLessThan(1.84);
    const gdpo = await row("GDPO");
    expect(gdpo.slice(3, 5)).toEqual(["never ", "–"]);
    expect(await lesson()).toContain("careless judge");
    expect(await sheet.getByRole("img", { name: /^Rubric score gained by step/ }).count()).toBe(1);
    const before = await sheet.locator(".outcome-table").boundingBox();

    const noise = sheet.getByRole("slider", { name: "judge noise" });
    const box = await noise.boundingBox();
    if (box === null) throw new Error("the slider is not drawn");
    await page.mouse.click(box.x + 4, box.y + box.height / 2);
    expect(await sheet.getByRole("textbox", { name: "judge noise" }).inputValue()).toBe("0");
    await changed(noisy);
    expect(number((await row("POW3R"))[4])).toBeLessThan(1.15);
    expect(await lesson()).toContain("never errs");
    // nothing jumped
    expect(await sheet.locator(".outcome-table").boundingBox()).toEqual(before);

    await sheet.getByRole("checkbox", { name: "GDPO" }).uncheck();
    await sheet.getByRole("row", { name: "GDPO" }).waitFor({ state: "detached" });
    await page.mouse.click(5, 500);
    await sheet.waitFor({ state: "hidden" });
    expect(fresh.record.foreign(fresh.host.origin)).toEqual([]);
    expect(fresh.record.errors).toEqual([]);
  },
  TEST_MS,
);

test(
  "by keyboard: sliders, fields, the map and its cells",
  async () => {
    await opener().focus();
    await page.keyboard.press("Enter");
    await finished();
    const first = await row("POW3R");

    const weight = sheet.getByRole("slider", { name: "weight on flat criteria" });
    await weight.focus();
    for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowLeft");
    const field = sheet.getByRole("textbox", { name: "weight on flat criteria" });
    expect(await field.inputValue()).toBe("8");
    await changed(first);
    const eight = await row("POW3R");

    // a number between the slider's stops, out of bounds, and none at all
    await field.fill("9.3");
    await page.keyboard.press("Enter");
    expect(await weight.inputValue()).toBe("9.5");
    expect(await field.inputValue()).toBe("9.3");
    await changed(eight);
    await field.fill("500");
    await page.keyboard.press("Enter");
    expect(await field.inputValue()).toBe("20");
    await field.fill("heavy");
    await page.keyboard.press("Tab");
    expect(await field.inputValue()).toBe("20");
    await finished();

    await sheet.getByRole("button", { name: "Map", exact: true }).focus();
    await page.keyboard.press("Enter");
    await sheet.getByRole("status").filter({ hasText: "9 of 9 cells" }).waitFor();
    const map = sheet.getByRole("table", { name: "GDPO" }).first();
    // below the head and the judge that never errs: 3 %
    const worst = map.getByRole("row").nth(2).getByRole("button").nth(2);
    expect(await worst.textContent()).toContain("never");
    await sheet.getByRole("button", { name: "Final score", exact: true }).focus();
    await page.keyboard.press("Space");
    expect(await worst.textContent()).toContain("lower");

    await worst.focus();
    await page.keyboard.press("Enter");
    expect(await field.inputValue()).toBe("10");
    expect(await sheet.getByRole("textbox", { name: "judge noise" }).inputValue()).toBe("3");
    await sheet.getByRole("row", { name: "POW3R" }).waitFor();
    await page.waitForFunction(
      (cells) =>
        [...document.querySelectorAll(".outcome-table tbody tr:first-child td")]
          .map((cell) => cell.textContent)
          .join() === cells,
      first.join(),
    );
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "hidden" });
    expect(fresh.record.errors).toEqual([]);
  },
  TEST_MS,
);
