/** Checks on the built site: found in the list, tried on an answer of the run, and a pattern that never ends costs its own verdicts alone. */
import type { Locator } from "playwright";
import { expect, test } from "vitest";
import { onFreshPage } from "./fresh-page.ts";
import { ofKind, type Playground, SMALL } from "./playground.ts";

const TEST_MS = 240_000;
/** Backtracks for ever on any sentence. */
const CATASTROPHE = String.raw`^(\w+\W*)+#$`;

let play: Playground;

onFreshPage((fresh) => {
  ({ play } = fresh);
});

/** Opens a new criterion and finds its check in the list by words. */
async function newCriterion(words: string, search: string, check: RegExp): Promise<Locator> {
  await play.page.getByRole("button", { name: "Add a criterion" }).click();
  const sheet = play.page.getByRole("dialog", { name: "New criterion" });
  await sheet.getByRole("textbox", { name: "What should an answer do?" }).fill(words);
  await sheet.getByRole("searchbox", { name: "Search the checks" }).fill(search);
  await sheet.getByRole("button", { name: check }).click();
  return sheet;
}
const tryOn = async (sheet: Locator, answer: string): Promise<void> => {
  await sheet.getByRole("textbox", { name: "Paste or write an answer" }).fill(answer);
  await sheet.getByRole("button", { name: "Check", exact: true }).click();
};

test(
  "a pattern that never ends gives no verdict and stops neither the try-out nor the run",
  async () => {
    await play.setUp(3, SMALL);
    const sheet = await newCriterion("Ends some day", "regular expression", /matches your pattern/);
    await sheet.getByRole("textbox", { name: /Regular expression/ }).fill(CATASTROPHE);
    await tryOn(sheet, "We will send you a new one by Friday, and then you can use it again.");
    await sheet.getByText("took longer than 250 ms and was ended").waitFor();
    await sheet.getByText(": no verdict").waitFor();
    await sheet.getByRole("button", { name: "Use it" }).click();
    await play.finish("Train");
    const steps = ofKind(await play.rows(), "step");
    expect(steps.map((row) => row["step"])).toContain(3);
    const last = steps.at(-1) ?? {};
    const means = Object.entries(last).filter(([name]) => /^criteria\/.*\/mean$/.test(name));
    const missing = means.filter(([, mean]) => mean === null).map(([name]) => name);
    expect(means.length).toBeGreaterThan(10);
    expect(missing).toHaveLength(1);
    expect(last["judge/failed"]).toBeGreaterThan(0);
    expect(last["reward"]).not.toBeNull();
  },
  TEST_MS,
);

test(
  "an expression sees the answer and nothing of the page or the network",
  async () => {
    const sheet = await newCriterion("Knows nothing else", "javascript expression", /^your expression/);
    const code = sheet.getByRole("textbox", { name: /Expression/ });
    const gone = [
      "fetch",
      "XMLHttpRequest",
      "WebSocket",
      "importScripts",
      "document",
      "navigator",
      "indexedDB",
      "caches",
    ];
    await code.fill(
      `output.length === 5 && ${gone.map((name) => `typeof ${name} === "undefined"`).join(" && ")}`,
    );
    await tryOn(sheet, "Hello");
    await sheet.getByText(": met").waitFor();
    await code.fill("import('./x.js')");
    await sheet.getByText("code without the word import").waitFor();
    expect(await sheet.getByRole("button", { name: "Use it" }).isDisabled()).toBe(true);
  },
  TEST_MS,
);

test(
  "an answer of the run is taken, judged under every criterion, and what matched is marked in it",
  async () => {
    await play.setUp(2, SMALL);
    await play.finish("Train");
    await play.page.getByRole("button", { name: "Try it" }).click();
    const sheet = play.page.getByRole("dialog", { name: "Try it on an answer" });
    const taken = sheet.getByRole("combobox", { name: "Take an answer of the run" });
    const option = taken.getByRole("option", { name: /answer 2 of 8/ }).first();
    await taken.selectOption(await option.getAttribute("value"));
    const answer = await sheet.getByRole("textbox", { name: "Paste or write an answer" }).inputValue();
    expect(answer).not.toBe("");
    await sheet.getByRole("button", { name: "Check", exact: true }).click();
    const lines = sheet.locator(".tried li");
    await lines.first().waitFor();
    expect(await lines.count()).toBeGreaterThan(10);
    const marked = sheet.locator(".marked-answer");
    expect((await marked.locator("p").last().textContent()) ?? "").toBe(answer);
    const mark = (await marked.locator("mark").first().textContent()) ?? "";
    expect(mark === "" ? false : answer.includes(mark)).toBe(true);
    // by keyboard: another criterion's places
    const other = lines.last().getByRole("button");
    await other.focus();
    await play.page.keyboard.press("Enter");
    expect(await other.getAttribute("aria-pressed")).toBe("true");
  },
  TEST_MS,
);

test(
  "the list of checks is searched and walked by keyboard",
  async () => {
    await play.page.getByRole("button", { name: "Add a criterion" }).click();
    const sheet = play.page.getByRole("dialog", { name: "New criterion" });
    const search = sheet.getByRole("searchbox", { name: "Search the checks" });
    await search.fill("nothing has this name");
    await sheet.getByText("No check has these words").waitFor();
    await search.fill("BLEU");
    await sheet.getByText(/1 of \d+ checks/).waitFor();
    await search.press("ArrowDown");
    await play.page.keyboard.press("Enter");
    const chosen = sheet.getByRole("combobox", { name: "Checked by" });
    expect(await chosen.inputValue()).toBe("promptfoo:bleu");
    await sheet.getByRole("textbox", { name: /Reference answers/ }).waitFor();
  },
  TEST_MS,
);
