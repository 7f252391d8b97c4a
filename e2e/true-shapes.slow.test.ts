/**
 * Random weights at the true shapes of Qwen2.5-0.5B and Qwen3-0.6B in the tab: loaded from a server that answers like the hub, in
 * 8 bits on WebAssembly, and one GRPO step of every arm. Prints times and the page process's peak memory.
 */
import type { Browser, Locator } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MODEL_SHAPES } from "../scripts/hub/model-shapes.ts";
import { serveModel } from "../scripts/hub/serve-model.ts";
import { weightSpecs } from "../src/engine/nn/model-config.ts";
import { readHfConfig } from "../src/engine/weights/hf-config.ts";
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
  judgeNoise: 0.4,
};
const SHAPES = ["qwen2.5-0.5b", "qwen3-0.6b"] as const;

let host: StaticHost;

beforeAll(async () => {
  host = await serveFolder(builtSite(), "/site/");
}, MOST_MS);
afterAll(() => host.close());

test.each(SHAPES)("%s loads by id and takes a step in the tab", { timeout: MOST_MS }, async (shape) => {
  const served = await serveModel(shape);
  if (typeof served === "string") throw new Error(served);
  const browser = await launchChromium();
  try {
    const play = new Playground(await browser.newPage({ viewport: { width: 1440, height: 1040 } }));
    await play.open(host.url);
    const say = sayer(shape, browser);
    await load(play, served.endpoint, served.id);
    const loading = await say("is loaded and measured");
    await play.setUp(1, SHORT);
    await play.finish("Train", MOST_MS);
    const peak = Math.max(loading, await say("has taken a step of two arms"));
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
    const bytes = blockBytesOf(shape);
    const times = ((peak - 300e6) / bytes).toFixed(2);
    process.stdout.write(
      `${shape}: 300 MB and ${times} times its ${(bytes / 1e9).toFixed(2)} GB of blocks\n`,
    );
    expect(peak).toBeLessThan(300e6 + 2.5 * bytes);
  } finally {
    await browser.close();
    await served.close();
  }
});

/** Of the model in 8 bits: a byte a value and a float32 for each 32; norms and biases are floats. */
function blockBytesOf(shape: (typeof SHAPES)[number]): number {
  const { config } = readHfConfig(MODEL_SHAPES[shape], null, shape);
  return weightSpecs(config).reduce((sum, { shape: dims }) => {
    const values = dims.reduce((product, size) => product * size, 1);
    return sum + values * (dims.length === 2 ? 1 + 4 / 32 : 4);
  }, 0);
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
