/** The rubric's editor on the built site, by mouse and by keyboard alone: weights, places, source, templates, notes, undo and redo. */
import type { Locator } from "playwright";
import { expect, test } from "vitest";
import { violations } from "./axe.ts";
import { type FreshPage, onFreshPage } from "./fresh-page.ts";
import { Playground, SMALL } from "./playground.ts";

const TEST_MS = 180_000;
const MOVED = "Says by when";

let play: Playground;
let context: FreshPage["context"];
let host: FreshPage["host"];

onFreshPage((fresh) => {
  ({ play, context, host } = fresh);
});

const row = (words: string): Locator => play.page.getByRole("row").filter({ hasText: words });
const handle = (words: string): Locator => row(words).getByRole("button", { name: `Move “${words}”` });
const button = (name: string): Locator => play.page.getByRole("button", { name, exact: true });

/** Category -> its criteria, as the table shows them. */
async function table(): Promise<Readonly<Record<string, readonly string[]>>> {
  const bodies = await play.page.locator(".rubric-table tbody").all();
  const entries = bodies.map(async (body) => {
    const category = (await body.locator(".category-row th > span > span").first().textContent()) ?? "";
    return [category, await body.locator(".criterion-name").allTextContents()] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Where the keyboard stands: the focused element's label. */
const focused = (): Promise<string> =>
  play.page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "");

test(
  "by keyboard: a weight by the slider's keys, a criterion through its category into the next, undo and redo",
  async () => {
    const weight = play.weight(MOVED);
    const before = Number(await weight.inputValue());
    await weight.focus();
    await play.page.keyboard.press("Tab");
    expect(await focused()).toBe(`Slide the weight of ${MOVED}`);
    await play.page.keyboard.press("ArrowRight");
    await play.page.keyboard.press("ArrowRight");
    expect(await weight.inputValue()).toBe(String(before + 1));
    await play.page.keyboard.press("End");
    expect(await weight.inputValue()).toBe("10");
    await play.page.keyboard.press("Control+z");
    await play.page.keyboard.press("Control+z");
    expect(await weight.inputValue()).toBe(String(before + 0.5));
    await play.page.keyboard.press("Control+Shift+Z");
    expect(await weight.inputValue()).toBe(String(before + 1));

    const first = await table();
    const help = first["Help"] ?? [];
    await handle(MOVED).focus();
    await play.page.keyboard.press("ArrowUp");
    expect((await table())["Help"]?.indexOf(MOVED)).toBe(help.indexOf(MOVED) - 1);
    expect(await focused()).toContain(`Move “${MOVED}”`); // the handle keeps the focus
    await play.page.keyboard.press("ArrowRight");
    expect((await table())["Depth"]).toContain(MOVED);
    expect((await table())["Help"]).not.toContain(MOVED);
    await play.page.getByText(`“${MOVED}” is now 5 of 5 in Depth.`).waitFor({ state: "attached" });
    await play.page.keyboard.press("Control+z");
    await play.page.keyboard.press("Control+z");
    expect(await table()).toEqual(first);
    expect(await violations(play.page)).toEqual([]);
  },
  TEST_MS,
);

test(
  "by mouse: a criterion added, dragged below another and onto a category's name, and a weight by the slider",
  async () => {
    await button("Add a criterion").click();
    const editor = play.page.getByRole("dialog", { name: "New criterion" });
    await editor.getByLabel("What should an answer do?").fill("Sounds like a friend");
    await editor.getByRole("button", { name: "Use it" }).click();
    await row("Sounds like a friend").waitFor();

    await row(MOVED).hover();
    const target = row("Explains the likely cause");
    const box = await target.boundingBox();
    await handle(MOVED).dragTo(target, { targetPosition: { x: 40, y: (box?.height ?? 30) - 4 } });
    const depth = (await table())["Depth"] ?? [];
    expect(depth.indexOf(MOVED)).toBe(depth.indexOf("Explains the likely cause") + 1);
    await row(MOVED).hover();
    await handle(MOVED).dragTo(play.page.locator(".category-row", { hasText: "Tone" }));
    expect((await table())["Tone"]?.[0]).toBe(MOVED);
    await button("Undo").click();
    await button("Undo").click();
    expect((await table())["Help"]).toContain(MOVED);
    await button("Redo").click();
    expect((await table())["Depth"]).toContain(MOVED);

    await play.weight(MOVED).click();
    const slider = play.page.getByLabel(`Slide the weight of ${MOVED}`);
    const rail = await slider.boundingBox();
    if (rail === null) throw new Error("the slider is not there");
    await play.page.mouse.move(rail.x + 10, rail.y + rail.height / 2);
    await play.page.mouse.down();
    await play.page.mouse.move(rail.x + rail.width - 1, rail.y + rail.height / 2, { steps: 5 });
    await play.page.mouse.up();
    expect(await play.weight(MOVED).inputValue()).toBe("10");
  },
  TEST_MS,
);

test(
  "by finger: a criterion dragged below another and onto a category's name, on a screen without a mouse",
  async () => {
    const browser = context.browser();
    if (browser === null) throw new Error("the context has no browser");
    const tablet = await browser.newContext({ viewport: { width: 1024, height: 1366 }, hasTouch: true });
    play = new Playground(await tablet.newPage());
    await play.open(host.url);
    const touch = await tablet.newCDPSession(play.page);
    const drag = async (to: Locator, share: number): Promise<void> => {
      await to.scrollIntoViewIfNeeded();
      const [from, place] = [await handle(MOVED).boundingBox(), await to.boundingBox()];
      if (from === null || place === null) throw new Error("nothing to drag");
      const [x, y] = [from.x + from.width / 2, from.y + from.height / 2];
      const end = { x: place.x + 60, y: place.y + place.height * share };
      const send = (type: "touchStart" | "touchMove" | "touchEnd", at: { x: number; y: number } | null) =>
        touch.send("Input.dispatchTouchEvent", { type, touchPoints: at === null ? [] : [at] });
      await send("touchStart", { x, y });
      for (const step of [0.3, 0.6, 1])
        await send("touchMove", { x: x + (end.x - x) * step, y: y + (end.y - y) * step });
      await send("touchEnd", null);
    };
    await drag(row("Explains the likely cause"), 0.9);
    const depth = (await table())["Depth"] ?? [];
    expect(depth.indexOf(MOVED)).toBe(depth.indexOf("Explains the likely cause") + 1);
    await drag(play.page.locator(".category-row", { hasText: "Tone" }), 0.5);
    expect((await table())["Tone"]?.[0]).toBe(MOVED);
    await tablet.close();
  },
  TEST_MS,
);

test(
  "the source: an error is marked in its line and keeps the rubric, mended it is one edit, and YAML is the same",
  async () => {
    await button("Source").click();
    const sheet = play.page.getByRole("dialog", { name: "The rubric's source" });
    const text = sheet.getByRole("textbox", { name: "Source of the rubric" });
    const use = sheet.getByRole("button", { name: "Use this source" });
    await sheet.getByText("Nothing is wrong with it.").waitFor();
    expect(await use.isDisabled()).toBe(true);
    await sheet.getByRole("radio", { name: "YAML" }).check();
    await text.click();
    await play.page.keyboard.press("Control+Home");
    await play.page.keyboard.press("ArrowDown");
    await play.page.keyboard.press("ArrowDown");
    await play.page.keyboard.press("End");
    await play.page.keyboard.press("Enter");
    await play.page.keyboard.type("wieght: 5");
    await sheet.getByText("One thing is wrong; the rubric in use stays as it is.").waitFor();
    await sheet.locator(".cm-lintRange-error", { hasText: "wieght" }).waitFor();
    expect(await use.isDisabled()).toBe(true);
    expect(await sheet.getByRole("radio", { name: "JSON" }).isDisabled()).toBe(true);
    expect(await violations(play.page)).toEqual([]);
    const listed = sheet.getByRole("button", {
      name: /^Line 4: expected known fields only, got unknown "wieght"/,
    });
    await listed.click();
    await play.page.keyboard.press("Shift+End");
    await play.page.keyboard.type("penalty: true");
    await sheet.getByText("Nothing is wrong with it.").waitFor();
    await use.click();
    await row("Addresses the person by name").getByText("must not").waitFor();
    await button("Undo").click();
    await row("Addresses the person by name").getByText("must not").waitFor({ state: "detached" });
  },
  TEST_MS,
);

test(
  "a template takes the rubric's place, and undo brings it back",
  async () => {
    const first = await table();
    await button("Templates").click();
    const sheet = play.page.getByRole("dialog", { name: "Start from a rubric" });
    expect(await violations(play.page)).toEqual([]);
    await sheet.getByRole("button", { name: "Use “Short, plain and kind”" }).click();
    expect((await table())["Length"]).toEqual(["Takes 15 to 35 words"]);
    await button("Undo").click();
    expect(await table()).toEqual(first);
  },
  TEST_MS,
);

test(
  "two criteria that ask the same are noted before and after training, with their figures",
  async () => {
    await button("Source").click();
    const sheet = play.page.getByRole("dialog", { name: "The rubric's source" });
    const text = sheet.getByRole("textbox", { name: "Source of the rubric" });
    const plain = (id: string, words: string, phrases: readonly string[]): object => ({
      id,
      text: words,
      category: "Help",
      weight: 1,
      check: { type: "contains-any", args: { phrases } },
    });
    const criteria = [
      plain("a", "Says by when", ["within two days", "within three days", "by Monday", "by Friday"]),
      plain("b", "Tells the day", ["by Friday", "by Monday", "within three days", "within two days"]),
      {
        ...plain("c", "Says anything", []),
        category: "Form",
        check: { type: "word-count", args: { min: 1, max: 500 } },
      },
      { ...plain("d", "Adds a voucher", ["voucher"]) },
      { ...plain("e", "Is adding a voucher", ["a voucher"]) },
      { ...plain("f", "Asks back", []), check: { type: "matches-pattern", args: { pattern: "question" } } },
      {
        ...plain("g", "Makes statements alone", []),
        check: { type: "matches-pattern", args: { pattern: "question" }, negate: true },
      },
    ];
    await text.fill(JSON.stringify({ title: "Twice", criteria }, null, 1));
    await sheet.getByRole("button", { name: "Use this source" }).click();
    await play.page.getByRole("button", { name: "Notes 1", exact: true }).waitFor();
    await play.setUp(8, { ...SMALL, max_completion_length: 72 });
    await play.finish("Train");
    await play.page.getByRole("button", { name: /^Notes [2-9]$/ }).click();
    const notes = play.page.getByRole("dialog", { name: "Notes on this rubric" });
    await notes.getByRole("listitem").first().waitFor();
    const said = await notes.getByRole("listitem").allTextContents();
    expect(
      said.some((each) =>
        /“Adds a voucher” and “Is adding a voucher” ask in nearly the same words/.test(each),
      ),
    ).toBe(true);
    expect(said.some((each) => /^“Says anything” was met by all of \d+ answers/.test(each))).toBe(true);
    expect(
      said.some((each) =>
        /“Says by when” and “Tells the day” got the same verdict on each of \d+ answers/.test(each),
      ),
    ).toBe(true);
    expect(
      said.some((each) =>
        /^None of \d+ answers met both “Asks back” \(met by \d+\) and “Makes statements alone” \(met by \d+\)/.test(
          each,
        ),
      ),
    ).toBe(true);
    expect(await violations(play.page)).toEqual([]);
    await notes.getByRole("button", { name: "Edit “Tells the day”" }).click();
    const editor = play.page.getByRole("dialog", { name: "Edit criterion" });
    await editor.getByRole("button", { name: "Remove" }).click();
    await row("Tells the day").waitFor({ state: "detached" });
  },
  TEST_MS,
);
