/**
 * A real run in the tab: SmolLM2-135M-Instruct from its GGUF file, in 8 bits on WebAssembly, ten GRPO steps on a rubric of
 * IFEval's instructions, POW3R beside static rewards. Prints what it took.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SMOLLM2, smollm2Missing } from "../src/testing/smollm2.ts";
import { launchChromium } from "./chromium.ts";
import { ofKind, Playground } from "./playground.ts";
import { peakPageBytes } from "./process-memory.ts";
import { builtSite } from "./slow-site.ts";
import { serveFolder, type StaticHost } from "./static-server.ts";

const ROOT = join(import.meta.dirname, "..");
const SETTINGS = join(ROOT, "experiments/smollm2-ifeval.json");
const STEPS = 10;
const MOST_MS = 3_600_000;
/** A worker that measures the model's speed answers afterwards. */
const MOST_ANSWER_MS = 600_000;

const missing = smollm2Missing();
if (missing !== null) process.stderr.write(`skipped: a real run in the tab: ${missing}\n`);

describe.skipIf(missing !== null)("SmolLM2 in the tab", () => {
  let host: StaticHost;
  let browser: Browser;

  beforeAll(async () => {
    host = await serveFolder(builtSite(), "/site/");
    browser = await launchChromium();
  }, MOST_MS);
  afterAll(async () => {
    await browser.close();
    await host.close();
  });

  test(
    "trains ten steps on IFEval's instructions, POW3R beside static rewards",
    { timeout: MOST_MS },
    async () => {
      const play = new Playground(await browser.newPage({ viewport: { width: 1440, height: 1040 } }));
      await play.open(host.url);
      const loadedAfter = await timed(() => load(play));
      process.stdout.write(`SmolLM2 is loaded after ${loadedAfter.toFixed(1)} s\n`);
      await play.page.getByText("Files", { exact: true }).click();
      await play.page.getByLabel("A run's settings …").setInputFiles(settingsFile());
      await play.page
        .locator(".run-counter", { hasText: `of ${STEPS} steps` })
        .waitFor({ timeout: MOST_ANSWER_MS });
      const trainedAfter = await timed(() => train(play));
      const rows = await play.rows();
      const steps = ofKind(rows, "step");
      expect(steps).toHaveLength(2 * STEPS);
      for (const arm of ["pow3r", "static"]) {
        const own = steps.filter((row) => row["arm"] === arm);
        expect(own.map((row) => row["step"])).toEqual(Array.from({ length: STEPS }, (_, i) => i + 1));
        expect(own.every((row) => Number.isFinite(row["loss"]) && Number(row["grad_norm"]) >= 0)).toBe(true);
        expect(own.some((row) => Number(row["grad_norm"]) > 0)).toBe(true);
        const scores = ofKind(rows, "evaluation").filter((row) => row["arm"] === arm);
        process.stdout.write(
          `${arm}: held-out score ${scores.map((row) => String(row["eval_score"])).join(" -> ")}\n`,
        );
      }
      const seconds = steps.reduce((sum, row) => sum + Number(row["step_time"]), 0) / steps.length;
      const peak = await peakPageBytes(browser);
      process.stdout.write(
        `${STEPS} steps of two arms in ${trainedAfter.toFixed(0)} s ` +
          `(${seconds.toFixed(1)} s a step and arm), page process ${(peak / 1e9).toFixed(2)} GB at most\n`,
      );
      expect(peak).toBeLessThan(4e9);
    },
  );
});

/** The experiment's settings as a page writes them that has loaded the model: its file and its bits are named. */
function settingsFile(): { readonly name: string; readonly mimeType: string; readonly buffer: Buffer } {
  const settings = JSON.parse(readFileSync(SETTINGS, "utf8")) as { spec: object };
  const model = { id: SMOLLM2.file, revision: null, storage: "q8", thinking: false };
  const text = JSON.stringify({ ...settings, spec: { ...settings.spec, model } });
  return { name: "smollm2.json", mimeType: "application/json", buffer: Buffer.from(text) };
}

/** Trains to the end and says when each step was done. */
async function train(play: Playground): Promise<void> {
  const from = performance.now();
  await play.start("Train");
  for (let step = 1; step <= STEPS; step++) {
    await play.stepReached(step, MOST_MS);
    process.stdout.write(`step ${step} after ${((performance.now() - from) / 1000).toFixed(0)} s\n`);
  }
  await play.control("Start over").waitFor({ timeout: MOST_MS });
}

/** Chooses the file in the model sheet, in 8 bits, and waits until it is loaded. */
async function load(play: Playground): Promise<void> {
  await play.openModelFile(join(SMOLLM2.folder, SMOLLM2.file), MOST_MS);
  expect(await play.page.locator(".model-chip").textContent()).toMatch(/13[45].* M/);
}

/** Seconds that it takes. */
async function timed(work: () => Promise<void>): Promise<number> {
  const from = performance.now();
  await work();
  return (performance.now() - from) / 1000;
}
