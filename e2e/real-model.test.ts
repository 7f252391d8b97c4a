/**
 * Models of a hub on the built site: looked at before their weights move, given up on the way, loaded by id over broken
 * connections, trained; kept in the browser, loaded again without a request, deleted; a full storage. The
 * hub is the server of `npm run hub`, with the bundled model under another name.
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Locator } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Misbehave } from "../scripts/hub/misbehaviour.ts";
import { readRepository } from "../scripts/hub/repository.ts";
import { type Hub, startHub } from "../scripts/hub/server.ts";
import { launchChromium } from "./chromium.ts";
import { ofKind, Playground, SMALL } from "./playground.ts";
import { serveFolder, type StaticHost } from "./static-server.ts";

const ROOT = join(import.meta.dirname, "..");
const BUNDLED = join(ROOT, "models", "playground-qwen3-1m");
const GGUF = join(ROOT, "src/testing/fixtures/gguf/qwen3.gguf");
const TOKEN = "hf_onlyForTheHub";

let folder: string;
let host: StaticHost;
let hub: Hub;
let browser: Browser;
let play: Playground;
let wrong: Misbehave = () => null;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hub-models-"));
  const made = (name: string, fill: (path: string) => void): string => {
    const path = join(folder, name);
    mkdirSync(path);
    fill(path);
    return path;
  };
  const other = made("other", (path) => {
    writeFileSync(join(path, "config.json"), '{"model_type":"mamba"}');
  });
  const many = made("many", (path) => {
    for (const name of ["a-Q8_0.gguf", "b-F32.gguf"]) copyFileSync(GGUF, join(path, name));
  });
  hub = await startHub({
    repositories: [
      await readRepository("test/tiny", BUNDLED),
      await readRepository("test/second", BUNDLED),
      await readRepository("test/gated", BUNDLED),
      await readRepository("test/other", other),
      await readRepository("test/many", many),
    ],
    gates: new Map([["test/gated", [TOKEN]]]),
    misbehave: (asked) => wrong(asked),
  });
  host = await serveFolder(join(ROOT, "dist"), "/site/");
  browser = await launchChromium();
  play = new Playground(await browser.newPage({ viewport: { width: 1440, height: 1040 } }));
  await play.open(host.url);
});
afterAll(async () => {
  await browser.close();
  await host.close();
  await hub.close();
  rmSync(folder, { recursive: true });
});

/** Requests for weights: only those lead to the download host. */
const downloads = () => hub.asked.filter(({ server }) => server === "cdn");

async function openSheet(): Promise<Locator> {
  await play.page.locator(".model-chip").click();
  return play.page.getByRole("dialog", { name: "Model" });
}

/** The sheet, with this test's hub in place of the usual one. */
async function openHub(): Promise<Locator> {
  const sheet = await openSheet();
  await sheet.locator("summary", { hasText: "huggingface.co" }).click();
  await sheet.getByLabel("Hub address").fill(hub.url);
  return sheet;
}

/** Asks what a model costs. */
async function look(sheet: Locator, id: string): Promise<void> {
  await sheet.getByLabel("Model id").fill(id);
  await sheet.getByRole("button", { name: "What does it cost?" }).click();
}

test("what cannot be used is refused with its reason, before any weights are asked for", async () => {
  const sheet = await openHub();
  const refused = sheet.getByRole("alert");
  for (const [id, reason] of [
    ["test/other", /qwen3.*got mamba/],
    ["test/gated", /behind a gate, got 401, no token\. Accept its terms at/],
    ["test/none", /none, or a private one/],
    ["test/many", /a-Q8_0\.gguf, b-F32\.gguf/],
  ] as const) {
    await look(sheet, id);
    await expect.poll(() => refused.textContent(), { timeout: 20_000 }).toMatch(reason);
  }
  expect(downloads()).toEqual([]);
});

test("of several GGUF files behind an id one is chosen, with its size", async () => {
  const sheet = play.page.getByRole("dialog", { name: "Model" });
  await sheet.getByRole("button", { name: /^b-F32\.gguf 98\.1 kB$/ }).click();
  expect(await sheet.getByLabel("Model id").inputValue()).toBe("test/many/b-F32.gguf");
  await sheet.getByRole("button", { name: "What does it cost?" }).click();
  await sheet.getByRole("heading", { name: /^test\/many\/b-F32\.gguf/ }).waitFor();
});

test("the cost is told, loading can be given up, and the run before it stays", async () => {
  const sheet = play.page.getByRole("dialog", { name: "Model" });
  await look(sheet, "test/tiny");
  const cost = sheet.locator(".model-cost");
  await cost.waitFor();
  const told = await cost.textContent();
  expect(told).toContain("1.03 million parameters");
  expect(told).toContain("4.1"); // MB of weights
  expect(told).toMatch(/Everything runs on the processor/);
  expect(told).toMatch(/cache of the answers.*Together/);
  wrong = ({ server }) => (server === "cdn" ? { kind: "stall", afterBytes: 1.5e6 } : null);
  await sheet.getByRole("button", { name: /load it/i }).click();
  // the embedding's megabyte, and what comes behind it
  await expect
    .poll(() => sheet.locator(".model-loading").textContent(), { timeout: 20_000 })
    .toMatch(/2\.\d+ MB \/ 4\.\d+ MB/);
  await sheet.getByRole("button", { name: "Cancel" }).click();
  await sheet.getByRole("button", { name: /load it/i }).waitFor();
  wrong = () => null;
  await sheet.getByRole("button", { name: "Close" }).click();
  expect(await play.fault.count()).toBe(0);
  expect(await play.page.locator(".model-chip").textContent()).toContain("1.0 M");
  await play.control("Train").and(play.page.locator(":enabled")).waitFor();
});

test("after a reload it goes on where it was given up, over a connection that falls silent", async () => {
  await play.open(host.url);
  const sheet = await openHub();
  const begun = sheet.getByRole("listitem").filter({ hasText: "test/tiny" });
  expect(await begun.textContent()).toMatch(/8 bits · begun; loading it goes on from here · \d/);
  await look(sheet, "test/tiny");
  await sheet.locator(".model-cost").waitFor();
  const before = hub.sentBytes();
  let ranges = 0;
  wrong = ({ server }) => (server === "cdn" && ranges++ === 1 ? { kind: "stall", afterBytes: 1000 } : null);
  await sheet.getByRole("button", { name: /load it/i }).click();
  // half a minute of silence is waited for
  await sheet.getByRole("heading", { name: "Loaded: test/tiny" }).waitFor({ timeout: 90_000 });
  expect(ranges).toBeGreaterThan(2);
  wrong = () => null;
  // 4.1 MB of weights in all; what had come up to the last whole tensor does not come again, header and tokenizer do
  expect(hub.sentBytes() - before).toBeLessThan(3.5e6);
  await sheet.getByText(/5 files checked/).waitFor();
  await begun.getByRole("button", { name: /^Delete/ }).click();
  await expect.poll(() => begun.count()).toBe(0);
  await play.open(host.url); // with the bundled model again
});

test("it loads by its id over connections that break, shows a prompt as it reads it, and trains two steps", async () => {
  wrong = ({ server }) => (server === "cdn" ? { kind: "cut", afterBytes: 1.5e6 } : null);
  const before = downloads().length;
  const sheet = await openHub();
  await sheet.getByLabel("Token").fill(TOKEN);
  await look(sheet, "test/gated");
  await sheet.getByRole("radio", { name: "32-bit floats" }).check();
  await sheet.getByRole("button", { name: /load it/i }).click();
  await sheet.getByRole("heading", { name: "Loaded: test/gated" }).waitFor();
  wrong = () => null;
  // the token stays with the hub, and the browser does not carry it to the download host
  expect(new Set(downloads().map(({ authorization }) => authorization))).toEqual(new Set([null]));
  expect(hub.asked.at(-1)?.server).toBe("cdn");
  expect(hub.asked.some(({ authorization }) => authorization === `Bearer ${TOKEN}`)).toBe(true);
  expect(downloads().length - before).toBeGreaterThan(3);
  expect(await sheet.getByText(/commit [0-9a-f]{8} · 5 files checked/).textContent()).toContain(
    "kept in this browser",
  );
  await expect.poll(() => sheet.getByText(/About .* a step/).count()).toBe(1);
  await sheet.getByRole("button", { name: "Show the tokens" }).click();
  await expect.poll(() => sheet.locator(".prompt-tokens").textContent()).toContain("<|im_start|>1user");
  await sheet.getByRole("button", { name: "Close" }).click();
  await play.setUp(2, SMALL);
  await play.finish("Train");
  expect(ofKind(await play.rows(), "step").filter((row) => row["step"] === 2)).toHaveLength(2);
});

test("after a reload it is looked at and loaded from the browser without a single request, and trains", async () => {
  await play.open(host.url);
  const before = hub.asked.length;
  const sheet = await openSheet();
  const kept = sheet.getByRole("listitem").filter({ hasText: "test/gated" });
  expect(await kept.textContent()).toMatch(/32-bit floats · 4\.\d+ MB · .* · commit [0-9a-f]{8}/);
  await kept.getByRole("button", { name: "Choose test/gated, 32-bit floats" }).click();
  await sheet.getByText("kept in this browser: nothing to download").waitFor();
  await sheet.getByRole("button", { name: "Load it", exact: true }).click();
  await sheet.getByRole("heading", { name: "Loaded: test/gated" }).waitFor();
  await sheet.getByText("nothing was downloaded").waitFor();
  await sheet.getByRole("button", { name: "Close" }).click();
  await play.setUp(1, SMALL);
  await play.finish("Train");
  expect(hub.asked.length).toBe(before);
});

test("a full storage is said, and the model loads all the same", async () => {
  await play.open(host.url);
  const devtools = await play.page.context().newCDPSession(play.page);
  const sheet = await openHub();
  // without room for a folder, then full in the middle of the weights
  for (const [quotaSize, id] of [
    [1, "test/tiny"],
    [6e6, "test/second"],
  ] as const) {
    await devtools.send("Storage.overrideQuotaForOrigin", { origin: host.origin, quotaSize });
    await look(sheet, id);
    await sheet.getByRole("radio", { name: "32-bit floats" }).check();
    await sheet.getByRole("button", { name: /load it/i }).click();
    await sheet.getByRole("heading", { name: `Loaded: ${id}` }).waitFor();
    await sheet
      .getByText("expected room in this site's share of the browser's storage, got none left")
      .waitFor();
    expect(await sheet.getByRole("button", { name: /^Delete test/ }).count()).toBe(1);
  }
  await devtools.send("Storage.overrideQuotaForOrigin", { origin: host.origin });
  await sheet.getByRole("button", { name: "Close" }).click();
});

test("a kept model is deleted: its room is free, and it would be downloaded again", async () => {
  await play.open(host.url);
  const usedBytes = () => play.page.evaluate(async () => (await navigator.storage.estimate()).usage ?? 0);
  const before = await usedBytes();
  const sheet = await openHub();
  await sheet.getByRole("button", { name: "Delete test/gated, 32-bit floats" }).click();
  await expect.poll(() => sheet.getByText("Kept in this browser").count()).toBe(0);
  await expect.poll(async () => before - (await usedBytes())).toBeGreaterThan(4e6);
  await sheet.getByLabel("Token").fill(TOKEN);
  await look(sheet, "test/gated");
  await sheet.getByRole("button", { name: "Download 4.11 MB and load it" }).waitFor();
});
