/**
 * Random weights at the true shapes of Qwen2.5-0.5B and Qwen3-0.6B in the tab: loaded from a server that answers like the hub, in
 * 8 bits on WebAssembly, and one GRPO step of every arm. Prints times and the page process's peak memory. `TRUE_SHAPES` names a
 * folder where the models (1.0 and 1.2 GB) are kept from run to run; else they are written and deleted again.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MODEL_SHAPES } from "../scripts/hub/model-shapes.ts";
import { writeRandomModel } from "../scripts/hub/random-model.ts";
import { readRepository } from "../scripts/hub/repository.ts";
import { type Hub, startHub } from "../scripts/hub/server.ts";
import { readHfConfig } from "../src/engine/weights/hf-config.ts";
import { weightBytes } from "../src/training/planner.ts";
import { launchChromium } from "./chromium.ts";
import { ofKind, Playground } from "./playground.ts";
import { peakPageBytes } from "./process-memory.ts";
import { builtSite } from "./slow-site.ts";
import { serveFolder, type StaticHost } from "./static-server.ts";

const MOST_MS = 3_600_000;
const GROUP = 2;
const TOKENS = 16;
/** Verdicts of noise: two answers of a random model seldom differ in those of the rubric. */
const SHORT = {
  num_generations: GROUP,
  max_completion_length: TOKENS,
  evaluationSamples: 1,
  judgeNoise: 0.5,
};
const SHAPES = ["qwen2.5-0.5b", "qwen3-0.6b"] as const;

let folder: string;
let host: StaticHost;

beforeAll(async () => {
  mkdirSync(".cache", { recursive: true });
  folder = process.env["TRUE_SHAPES"] ?? mkdtempSync(join(".cache", "true-shapes-"));
  host = await serveFolder(builtSite(), "/site/");
}, MOST_MS);
afterAll(async () => {
  await host.close();
  if (process.env["TRUE_SHAPES"] === undefined) rmSync(folder, { recursive: true });
});

test.each(SHAPES)("%s loads by id and takes a step in the tab", { timeout: MOST_MS }, async (shape) => {
  const hub = await hubOf(shape);
  const browser = await launchChromium();
  try {
    const play = new Playground(await browser.newPage({ viewport: { width: 1440, height: 1040 } }));
    await play.open(host.url);
    const say = sayer(shape, browser);
    await load(play, hub.url, `random/${shape}`);
    await say("is loaded and measured");
    await play.setUp(1, SHORT);
    await play.finish("Train", MOST_MS);
    const peak = await say("has taken a step of two arms");
    const rows = await play.rows();
    const steps = ofKind(rows, "step");
    expect(steps).toHaveLength(2);
    for (const row of steps) {
      process.stdout.write(
        `${shape}, ${String(row["arm"])}: ${Number(row["step_time"]).toFixed(1)} s, gradient ${String(row["grad_norm"])}\n`,
      );
      expect(Number.isFinite(row["loss"])).toBe(true);
      expect(Number(row["grad_norm"])).toBeGreaterThan(0);
    }
    const scores = ofKind(rows, "evaluation").map((row) => row["eval_score"]);
    expect(scores.filter((score) => typeof score === "number")).toHaveLength(4);
    const { config } = readHfConfig(MODEL_SHAPES[shape], null, shape);
    const bytes = weightBytes(config, "q8");
    const times = ((peak - 300e6) / bytes).toFixed(2);
    process.stdout.write(
      `${shape}: 300 MB and ${times} times its ${(bytes / 1e9).toFixed(2)} GB of blocks\n`,
    );
    expect(peak).toBeLessThan(4e9);
  } finally {
    await browser.close();
    await hub.close();
  }
});

/** The model, written where it is not there yet, on a hub of its own. */
async function hubOf(shape: (typeof SHAPES)[number]): Promise<Hub> {
  const path = join(folder, shape);
  if (!existsSync(path)) writeRandomModel({ shape, folder: path, seed: 1, shards: 1 });
  return startHub({ repositories: [await readRepository(`random/${shape}`, path)] });
}

/** Prints what happened, after how many seconds, and gives the page process's peak so far. */
function sayer(shape: string, browser: Browser): (what: string) => Promise<number> {
  const from = performance.now();
  return async (what) => {
    const peak = await peakPageBytes(browser);
    const seconds = ((performance.now() - from) / 1000).toFixed(0);
    process.stdout.write(
      `${shape} ${what} after ${seconds} s, page process ${(peak / 1e9).toFixed(2)} GB at most\n`,
    );
    return peak;
  };
}

/** By its id, in the 8 bits that the sheet offers first. */
async function load({ page }: Playground, endpoint: string, id: string): Promise<void> {
  await page.locator(".model-chip").click();
  const sheet = page.getByRole("dialog", { name: "Model" });
  await sheet.locator("summary", { hasText: "huggingface.co" }).click();
  await sheet.getByLabel("Hub address").fill(endpoint);
  await sheet.getByLabel("Model id").fill(id);
  await sheet.getByRole("button", { name: "What does it cost?" }).click();
  await sheet.getByRole("button", { name: /load it/i }).click();
  await loaded(sheet, id);
  await sheet.getByRole("button", { name: "Close" }).click();
}

/** Until the speed is measured too: the worker answers nothing before. */
async function loaded(sheet: Locator, id: string): Promise<void> {
  await sheet.getByRole("heading", { name: `Loaded: ${id}` }).waitFor({ timeout: MOST_MS });
  await sheet.getByText(/About .* a step/).waitFor({ timeout: MOST_MS });
}
