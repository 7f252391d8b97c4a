/**
 * Adapters and the chat on the built site: a run's adapters leave as a zip and come back as the start of another run, with the same
 * greedy answers; what cannot be used says why; a merged model and the whole run leave as zips. The chat streams, stops, and
 * repeats from its seed.
 */
import { readFile, writeFile } from "node:fs/promises";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { strFromU8, unzipSync } from "fflate";
import type { Browser, Locator } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchChromium } from "./chromium.ts";
import { Playground, SMALL } from "./playground.ts";
import { serveFolder, type StaticHost } from "./static-server.ts";

const DIST = join(import.meta.dirname, "..", "dist");
const MESSAGE = "My lamp arrived broken. What can I do?";

/** What the page was told of the base's unfinished answers. */
interface Listening {
  baseTexts: string[];
}

/** Runs in the page before its own scripts: keeps the texts of the worker's `chat` events. */
function listen(): void {
  const texts: string[] = [];
  (window as unknown as Listening).baseTexts = texts;
  window.Worker = class extends Worker {
    constructor(script: string | URL, options?: WorkerOptions) {
      super(script, options);
      this.addEventListener(
        "message",
        ({ data }: MessageEvent<{ event?: { kind: string; arm: string | null; text: string } }>) => {
          const { event } = data;
          if (event?.kind === "chat" && event.arm === null) texts.push(event.text);
        },
      );
    }
  };
}

let host: StaticHost;
let browser: Browser;
let play: Playground;
let folder: string;
let zipPath: string;
/** Greedy answers by who gave them. */
let trained: Readonly<Record<string, string>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "adapters-"));
  host = await serveFolder(DIST, "/site/");
  browser = await launchChromium();
  play = new Playground(await browser.newPage({ viewport: { width: 1440, height: 1040 } }));
  await play.page.addInitScript(listen);
  await play.open(host.url);
  play.page.setDefaultTimeout(30_000);
  await play.setUp(8, { ...SMALL, learning_rate: 0.01 });
  await play.finish("Train");
  zipPath = join(folder, "adapters.zip");
  await writeFile(zipPath, await saved("Adapters for PEFT (zip)"));
  trained = await ask(await openChat());
  await play.page.keyboard.press("Escape");
});
afterAll(async () => {
  await browser.close();
  await host.close();
  rmSync(folder, { recursive: true });
});

/** What the Files menu saves by this button. */
async function saved(button: string): Promise<Uint8Array> {
  await play.page.getByText("Files", { exact: true }).click();
  return downloaded(() => play.page.getByRole("button", { name: button, exact: true }).click());
}

async function downloaded(press: () => Promise<void>): Promise<Uint8Array> {
  const [download] = await Promise.all([play.page.waitForEvent("download"), press()]);
  return readFile(await download.path());
}

async function openSheet(button: string, title: string): Promise<Locator> {
  await play.page.getByText("Files", { exact: true }).click();
  await play.page.getByRole("button", { name: button }).click();
  return play.page.getByRole("dialog", { name: title });
}

async function openChat(): Promise<Locator> {
  await play.page.getByRole("button", { name: "Ask it", exact: true }).click();
  return play.page.getByRole("dialog", { name: "Ask it" });
}

/** Answers to the message by who gave them, when all are there. */
async function answers(chat: Locator): Promise<Record<string, string>> {
  await chat.getByRole("button", { name: "Answer", exact: true }).waitFor();
  const articles = await chat.locator(".ask-answers article").all();
  const pairs = await Promise.all(
    articles.map(async (each) => [await each.locator("h3").innerText(), await each.locator("p").innerText()]),
  );
  return Object.fromEntries(pairs) as Record<string, string>;
}

async function ask(
  chat: Locator,
  settings: Readonly<Record<string, number>> = {},
): Promise<Record<string, string>> {
  for (const [label, value] of Object.entries(settings)) await chat.getByLabel(label).fill(String(value));
  await chat.getByLabel("Your message").fill(MESSAGE);
  await chat.getByLabel("Your message").press("Control+Enter");
  await chat.getByRole("button", { name: "Stop" }).or(chat.locator(".ask-answers")).first().waitFor();
  return answers(chat);
}

test("the chat answers side by side, and the same again from the same seed", async () => {
  const chat = await openChat();
  expect(await ask(chat)).toEqual(trained);
  expect(Object.keys(trained)).toEqual(["base model", "static", "POW3R"]);
  expect(trained["POW3R"]).not.toBe(trained["base model"]);
  const sampled = await ask(chat, { Temperature: 1, Seed: 7, "Most tokens": 40 });
  expect(await ask(chat)).toEqual(sampled);
  expect(await ask(chat, { Seed: 8 })).not.toEqual(sampled);
  await play.page.keyboard.press("Escape");
});

test("answers show as they are written, and a stop ends them where they are", async () => {
  const chat = await openChat();
  const settings = { Temperature: 1.5, Seed: 3, "Most tokens": 150 };
  await play.page.evaluate(() => {
    (window as unknown as Listening).baseTexts.length = 0;
  });
  const whole = await ask(chat, settings);
  const texts = await play.page.evaluate(() => (window as unknown as Listening).baseTexts);
  expect(texts.length).toBeGreaterThan(2);
  [...texts, whole["base model"] ?? ""].slice(1).forEach((text, i) => {
    expect(text.startsWith(texts[i] ?? "?")).toBe(true);
  });
  // pressed as soon as it is there: the worker is faster than the page is drawn
  await play.page.evaluate(() => {
    const dialog = document.querySelector("dialog[open]");
    const watch = new MutationObserver(() => {
      const stop = [...(dialog?.querySelectorAll("button") ?? [])].find(
        (each) => each.textContent === "Stop",
      );
      if (stop === undefined) return;
      watch.disconnect();
      stop.click();
    });
    watch.observe(dialog as Element, { subtree: true, childList: true, characterData: true });
  });
  const stopped = await ask(chat, settings);
  expect(stopped["POW3R"]).toMatch(/^–$|\(stopped\)$/);
  for (const [name, text] of Object.entries(stopped)) {
    if (text !== "–") expect(whole[name]?.startsWith(text.replace(/ ?\(stopped\)$/, "")), name).toBe(true);
  }
  await play.page.keyboard.press("Escape");
});

test("the merged model and the whole run leave as zips", async () => {
  const sheet = await openSheet("A merged model …", "Save a merged model");
  const merged = unzipSync(await downloaded(() => sheet.getByRole("button", { name: "Save it" }).click()));
  await sheet.getByRole("button", { name: "Close" }).click();
  expect(Object.keys(merged)).toEqual(
    expect.arrayContaining(["config.json", "generation_config.json", "model.safetensors", "tokenizer.json"]),
  );
  expect(merged["model.safetensors"]?.length).toBeGreaterThan(4e6);
  const run = unzipSync(await saved("The whole run (zip)"));
  const text = (name: string): string => strFromU8(run[name] ?? new Uint8Array());
  expect(JSON.parse(text("run.json"))).toMatchObject({ step: 8, seeds: [1], model: { runsOn: "kernels" } });
  expect(text("metrics.jsonl").split("\n").length).toBeGreaterThan(16);
  const adapters = unzipSync(await readFile(zipPath));
  expect(run["adapters/pow3r/adapter_model.safetensors"]).toEqual(
    adapters["pow3r/adapter_model.safetensors"],
  );
  expect(strFromU8(adapters["README.txt"] ?? new Uint8Array())).toContain('"models/playground-qwen3-1m"');
});

test("an adapter that cannot be used says which field or file is at fault", async () => {
  const files = unzipSync(await readFile(zipPath));
  const config = JSON.parse(strFromU8(files["pow3r/adapter_config.json"] ?? new Uint8Array())) as object;
  const sheet = await openSheet("An adapter to start from", "Start from an adapter");
  const choose = (chosen: readonly { name: string; text: string | Uint8Array }[]): Promise<void> =>
    sheet
      .getByLabel("Choose files")
      .setInputFiles(chosen.map(({ name, text }) => ({ name, mimeType: "", buffer: Buffer.from(text) })));
  const weights = files["pow3r/adapter_model.safetensors"] ?? new Uint8Array();
  await choose([
    { name: "adapter_config.json", text: JSON.stringify({ ...config, use_dora: true }) },
    { name: "adapter_model.safetensors", text: weights },
  ]);
  await sheet.getByRole("alert").filter({ hasText: "use_dora: expected plain LoRA" }).waitFor();
  expect(await sheet.getByRole("button", { name: "Start a fresh run from it" }).isDisabled()).toBe(true);
  await choose([{ name: "notes.txt", text: "nothing" }]);
  await sheet.getByRole("alert").filter({ hasText: "got notes.txt" }).waitFor();
  await sheet.getByRole("button", { name: "Close" }).click();
});

test("files that are dropped on the page open the same way, alone or as a pair", async () => {
  const files = unzipSync(await readFile(zipPath));
  const pair = ["adapter_config.json", "adapter_model.safetensors"].map((name) => ({
    name,
    bytes: [...(files[`static-scalar/${name}`] ?? [])],
  }));
  await play.page.evaluate((dropped) => {
    const dataTransfer = new DataTransfer();
    for (const { name, bytes } of dropped) dataTransfer.items.add(new File([Uint8Array.from(bytes)], name));
    document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
  }, pair);
  const sheet = play.page.getByRole("dialog", { name: "Start from an adapter" });
  await sheet.getByLabel("adapter", { exact: true }).and(sheet.locator(":checked")).waitFor();
  await sheet.getByRole("button", { name: "Close" }).click();
});

test("an exported adapter starts a new run, which answers as the old one did, trains, and survives a reload", async () => {
  const sheet = await openSheet("An adapter to start from", "Start from an adapter");
  await sheet.getByLabel("Choose files").setInputFiles(zipPath);
  await sheet.getByLabel("pow3r").check();
  await sheet.getByText("rank 8, alpha 16 · all seven linears").first().waitFor();
  await sheet.getByRole("button", { name: "Start a fresh run from it" }).click();
  await play.page.locator(".model-chip", { hasText: "+ adapter" }).waitFor();
  expect(await play.step()).toBe(0);
  const chat = await openChat();
  const started = await ask(chat);
  expect(started).toEqual({
    "base model": trained["base model"],
    static: trained["POW3R"],
    POW3R: trained["POW3R"],
  });
  await play.page.keyboard.press("Escape");
  await play.control("Step").click();
  await play.stepReached(1);
  await play.control("Go on").waitFor();
  await play.page.locator(".run-counter", { hasText: "saved at step 1" }).waitFor();
  await play.page.reload();
  await play.offer.getByRole("button", { name: "Go on with it" }).first().click();
  await play.page.locator(".model-chip", { hasText: "+ adapter" }).waitFor();
  await play.control("Reset").click();
  await expect.poll(() => play.step()).toBe(0);
  await play.page.locator(".model-chip", { hasText: "+ adapter" }).waitFor();
});
