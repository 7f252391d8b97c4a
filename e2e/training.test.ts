/**
 * A person's first real run on the built site: the mild set-up, both arms, 40 steps on WASM. It must teach the model
 * something, show what it exports, ask nobody else, and answer while it computes.
 */
import { join } from "node:path";
import type { Browser, Locator } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchChromium, recordContext, type PageRecord } from "./chromium.ts";
import { ofKind, Playground, type ExportedRow } from "./playground.ts";
import { serveFolder, type StaticHost } from "./static-server.ts";

const DIST = join(import.meta.dirname, "..", "dist");
const STEPS = 40;
const SAMPLES = 256;
const LIFT = 0.08;
const RUN_MS = 900_000;
const ARMS = ["static-scalar", "pow3r"];
/** Missing for a reason: no answer of the group ended, nothing varied. */
const MAY_BE_MISSING =
  /^(completions\/\w+_terminated_length|rubric\/(contrast_pressure|weight_variance_correlation))$/;

let host: StaticHost;
let browser: Browser;
let record: PageRecord;
let play: Playground;
let pausedAt: number;
let stoodAt: number;
let pausedRows: ExportedRow[];
let rows: ExportedRow[];

beforeAll(async () => {
  host = await serveFolder(DIST, "/some/where/");
  browser = await launchChromium();
  const context = await browser.newContext({ viewport: { width: 1440, height: 1040 } });
  record = recordContext(context);
  play = new Playground(await context.newPage());
  await play.open(host.url);
  await play.chooseSetUp("mild");
  // two prompts a step in place of the set-up's six: a third of the time
  await play.setUp(STEPS, { prompts_per_step: 2, evaluateEvery: STEPS, evaluationSamples: SAMPLES });
  await play.start("Train");
  await play.stepReached(2);
  await play.pause();
  pausedAt = await play.step();
  pausedRows = await play.rows();
  await play.page.waitForTimeout(3000); // longer than a step takes
  stoodAt = await play.step();
  await play.finish("Go on", RUN_MS);
  rows = await play.rows();
}, RUN_MS + 120_000);
afterAll(async () => {
  await browser.close();
  await host.close();
});

const scoreOf = (arm: string, step: number): number =>
  Number(
    ofKind(rows, "evaluation").find((row) => row["arm"] === arm && row["step"] === step)?.["eval_score"],
  );

test("raises the held-out score of every arm", () => {
  const evaluations = ofKind(rows, "evaluation");
  expect(evaluations.map((row) => [row["arm"], row["step"], row["eval_samples"]])).toEqual(
    [0, STEPS].flatMap((step) => ARMS.map((arm) => [arm, step, SAMPLES])),
  );
  for (const arm of ARMS) {
    const lift = scoreOf(arm, STEPS) - scoreOf(arm, 0);
    process.stdout.write(`${arm}: ${scoreOf(arm, 0).toFixed(3)} -> ${scoreOf(arm, STEPS).toFixed(3)}\n`);
    expect(lift, arm).toBeGreaterThanOrEqual(LIFT);
  }
});

test("exports a row of finite numbers for every step of every arm", async () => {
  const steps = ofKind(rows, "step");
  expect(steps.map((row) => [row["step"], row["arm"]])).toEqual(
    Array.from({ length: STEPS }, (_, i) => ARMS.map((arm) => [i + 1, arm])).flat(),
  );
  const missing = steps.flatMap((row) => Object.entries(row).filter(([, value]) => value === null));
  expect(missing.map(([name]) => name).filter((name) => !MAY_BE_MISSING.test(name))).toEqual([]);
  for (const row of steps) {
    expect(row["kl"]).toBeGreaterThan(-1e-6);
    expect(row["grad_norm"]).toBeGreaterThan(0);
    expect(row["sampling/sampling_logp_difference/max"]).toBeLessThan(1e-3);
  }
  // JSON has no word for what is not a number and writes null; CSV would show it.
  expect(await play.exported("CSV")).not.toMatch(/NaN|Infinity/);
});

test("paused within the run and stood there", () => {
  expect(pausedAt).toBeGreaterThanOrEqual(2);
  expect(pausedAt).toBeLessThan(STEPS);
  expect(stoodAt).toBe(pausedAt);
  expect(Math.max(...pausedRows.map((row) => Number(row["step"])))).toBe(pausedAt);
  expect(rows.slice(0, pausedRows.length)).toEqual(pausedRows);
});

test("shows in its charts what it exports", async () => {
  const chart = (words: string): Locator =>
    play.page.locator("figure", { hasText: words }).locator(".chart").first();
  const score = chart("Held-out rubric score");
  const label = (await score.getAttribute("aria-label")) ?? "";
  const shown = [...label.matchAll(/\d\.\d+/g)].map((match) => Number(match[0]));
  expect(shown).toEqual(ARMS.map((arm) => Number(scoreOf(arm, STEPS).toPrecision(2))));
  expect(await score.locator(".chart-line").count()).toBe(ARMS.length);
  const criteria = Object.keys(rows.at(-1) ?? {}).filter((name) => name.startsWith("eval_criteria/"));
  expect(await chart("α per criterion").locator(".chart-line").count()).toBe(criteria.length);
  expect(await chart("Where the pressure goes").locator(".chart-area").count()).toBeGreaterThan(0);
  await play.page.getByRole("button", { name: "More charts" }).click();
  const gradients = chart("Gradient norm");
  await gradients.locator(".chart-line").nth(1).waitFor();
  expect(await gradients.locator(".chart-line").first().getAttribute("d")).not.toMatch(/NaN/);
  expect(await chart("KL to the base").locator(".chart-line").count()).toBe(ARMS.length);
});

test("trained on WASM, without an error and without a request to anybody else", async () => {
  expect(await play.page.locator(".model-chip").textContent()).toContain("WASM");
  expect(record.requests.some((url) => url.endsWith("model.safetensors"))).toBe(true);
  expect(record.foreign(host.origin)).toEqual([]);
  expect(record.errors).toEqual([]);
});
