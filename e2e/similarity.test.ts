/**
 * The embedding model by its id from a hub, on the built site: asked for, seen to come, kept, and what is said where it cannot be had.
 * The hub is the server of `npm run hub`, with a tiny random BERT under the model's name: what it finds alike means nothing.
 */
import { join } from "node:path";
import type { Locator } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readRepository } from "../scripts/hub/repository.ts";
import { type Hub, startHub } from "../scripts/hub/server.ts";
import { onFreshPage } from "./fresh-page.ts";
import type { Playground } from "./playground.ts";

const MODEL = join(import.meta.dirname, "../src/testing/fixtures/tiny-embedder");
const ID = "Xenova/all-MiniLM-L6-v2";
const TEST_MS = 240_000;

let hub: Hub;
let empty: Hub;
let play: Playground;
onFreshPage((fresh) => {
  play = fresh.play;
});
beforeAll(async () => {
  hub = await startHub({ repositories: [await readRepository(ID, MODEL)], bytesPerSecond: 40e3 });
  empty = await startHub({ repositories: [] });
});
afterAll(() => hub.close());

/** A new criterion that compares meanings. */
async function similarCriterion(): Promise<Locator> {
  await play.page.getByRole("button", { name: "Add a criterion" }).click();
  const sheet = play.page.getByRole("dialog", { name: "New criterion" });
  await sheet.getByRole("textbox", { name: "What should an answer do?" }).fill("Says sorry");
  await sheet.getByRole("combobox", { name: "Checked by" }).selectOption("similar");
  await sheet
    .getByRole("textbox", { name: /Reference answers/ })
    .fill("We are sorry that your kettle leaks.");
  await sheet.getByRole("combobox", { name: /Words alone:? counts/ }).selectOption("all-MiniLM-L6-v2");
  return sheet;
}
async function fetchFrom(sheet: Locator, host: string): Promise<void> {
  await sheet.getByLabel("Hub to fetch it from").fill(host);
  await sheet.getByRole("button", { name: "Fetch it (90 MB)" }).click();
}
async function tryOn(sheet: Locator, answer: string): Promise<string> {
  await sheet.getByRole("textbox", { name: "Paste or write an answer" }).fill(answer);
  await sheet.getByRole("button", { name: "Check", exact: true }).click();
  return (await sheet.locator(".tried .soft").textContent()) ?? "";
}

test(
  "a hub without it, and none at all, are told with what stands in for it",
  async () => {
    const sheet = await similarCriterion();
    await sheet.getByText(`It is fetched as ${ID}.`).waitFor();
    await fetchFrom(sheet, empty.url);
    const alert = sheet.getByRole("alert");
    await alert.getByText(/all-MiniLM-L6-v2: expected the model's files.*got .*tokenizer/).waitFor();
    expect(await alert.textContent()).not.toMatch(/Choose the folder.*Choose the folder/);
    await alert.getByText("“Words alone” needs no model.").waitFor();
    await empty.close();
    await fetchFrom(sheet, empty.url);
    await alert.getByText(/Failed to fetch|NetworkError|network/i).waitFor();
    expect(await tryOn(sheet, "So sorry, your kettle leaks.")).toContain("all-MiniLM-L6-v2 is not loaded");
    await alert.getByRole("button", { name: "Compare by words alone" }).click();
    expect(await tryOn(sheet, "So sorry, your kettle leaks!")).toMatch(/alike by words alone, no model/);
  },
  TEST_MS,
);

test(
  "it is fetched by its id, seen to come, compares, and is there at the next visit without the hub",
  async () => {
    const sheet = await similarCriterion();
    await fetchFrom(sheet, hub.url);
    await sheet.getByText(/\d+(\.\d+)? kB \/ \d+ kB|\d+(\.\d+)? MB \/ \d+(\.\d+)? MB/).waitFor();
    await sheet.getByText("all-MiniLM-L6-v2 is loaded: this check compares meanings.").waitFor();
    const asked = hub.asked.map(({ path }) => path).filter((path) => path.startsWith(`/${ID}/resolve/main/`));
    expect(asked).toContain(`/${ID}/resolve/main/onnx/model.onnx`);
    expect(await tryOn(sheet, "Please accept our apologies.")).toMatch(/alike by all-MiniLM-L6-v2/);
    await sheet.getByRole("button", { name: "Use it" }).click();
    // what criteria mean is compared too
    const notes = play.page.getByRole("button", { name: /^Notes/ });
    await notes.click();
    const said = play.page.getByRole("dialog", { name: "Notes on this rubric" });
    await said.getByText("By words, and by what all-MiniLM-L6-v2 says that they mean.").waitFor();
    // to random weights nearly all texts are alike
    await said
      .getByText(/mean nearly the same \(likeness 0?\.\d+ by all-MiniLM-L6-v2\)/)
      .first()
      .waitFor();
    await said.getByRole("button", { name: "Close", exact: true }).click();
    const before = hub.asked.length;
    await play.page.reload();
    await notes.click();
    await said.getByText("By words alone, without a model", { exact: false }).waitFor();
    await fetchFrom(said, hub.url);
    await said.getByText("By words, and by what all-MiniLM-L6-v2 says that they mean.").waitFor();
    expect(hub.asked.slice(before).map(({ path }) => path)).toEqual([]);
  },
  TEST_MS,
);
