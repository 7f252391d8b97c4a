/**
 * A small experiment's file on the built site, by keyboard: three arms by two seeds. The page asks for the cell, trains, and
 * shows bands, the paper's table, steps to the reference's score and the scatter; files carry the seed.
 */
import { join } from "node:path";
import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchChromium, recordContext, type PageRecord } from "./chromium.ts";
import { ofKind, Playground } from "./playground.ts";
import { serveFolder, type StaticHost } from "./static-server.ts";

const DIST = join(import.meta.dirname, "..", "dist");
const STEPS = 4;
const SEEDS = [3, 8];
const ARMS = ["static", "balanced", "pow3r"];

const experiment = {
  name: "small",
  question: "Does the page run an experiment?",
  scenario: "customer-reply",
  setUp: "mild",
  seeds: SEEDS,
  arms: [
    { id: "static", rule: "static-scalar" },
    { id: "balanced", rule: "category-balanced" },
    { id: "pow3r", rule: "pow3r" },
  ],
  baseline: "balanced",
  grpo: { max_steps: STEPS, num_generations: 4, prompts_per_step: 1, max_completion_length: 16 },
  evaluateEvery: 2,
  evaluationSamples: 8,
  cells: [{ id: "noisy", title: "A judge that errs", judgeNoise: 0.08 }, { id: "plain" }],
};

let host: StaticHost;
let browser: Browser;
let record: PageRecord;
let play: Playground;

beforeAll(async () => {
  host = await serveFolder(DIST, "/some/where/");
  browser = await launchChromium();
  const context = await browser.newContext({ viewport: { width: 1440, height: 1040 } });
  record = recordContext(context);
  play = new Playground(await context.newPage());
  await play.open(host.url);
});
afterAll(async () => {
  await browser.close();
  await host.close();
});

test("an experiment's file is opened and its cell chosen by keyboard", async () => {
  const { page } = play;
  const chooser = page.waitForEvent("filechooser"); // before the key: on a slow machine the key would come first
  await page.getByText("Files", { exact: true }).focus();
  await page.keyboard.press("Enter");
  const open = page.getByRole("button", { name: "An experiment …" });
  await open.focus();
  await page.keyboard.press("Enter");
  const buffer = Buffer.from(JSON.stringify(experiment));
  await (await chooser).setFiles({ name: "small.json", mimeType: "application/json", buffer });
  const cells = page.getByRole("dialog", { name: "Which cell?" });
  await cells.getByRole("button", { name: "A judge that errs" }).waitFor();
  await cells.getByRole("button", { name: "plain" }).focus();
  await page.keyboard.press("Enter");
  await page.locator(".run-counter", { hasText: `of ${STEPS} steps` }).waitFor();
  expect(await page.locator(".arm-switch").first().getByRole("button").allTextContents()).toEqual([
    "static",
    "balanced",
    "POW3R",
  ]);
});

test("it trains, and shows bands, table, steps and scatter of all seeds", async () => {
  const { page } = play;
  await play.control("Train").focus();
  await page.keyboard.press("Enter");
  await play.control("Start over").waitFor();
  const rows = await play.rows();
  expect(ofKind(rows, "step").map((row) => [row["seed"], row["step"], row["arm"]])).toEqual(
    SEEDS.flatMap((seed) =>
      Array.from({ length: STEPS }, (_, i) => ARMS.map((arm) => [seed, i + 1, arm])).flat(),
    ),
  );
  const score = page.locator("figure", { hasText: "Held-out rubric score" }).locator(".chart").first();
  await score
    .locator(".chart-band")
    .nth(ARMS.length - 1)
    .waitFor();
  expect(await score.locator(".chart-line").count()).toBe(ARMS.length);
  await score.hover();
  expect(await score.locator(".chart-tip").textContent()).toContain("mean, both seeds");

  const compare = page.getByRole("region", { name: "Comparison" });
  const [paper, steps] = [compare.getByRole("table").first(), compare.getByRole("table").nth(1)];
  const heads = await paper.getByRole("rowheader").allTextContents();
  expect(heads.map((head) => head.trim())).toEqual(["base model", "static", "balanced", "POW3R"]);
  const final = ofKind(rows, "evaluation").filter((row) => row["step"] === STEPS && row["arm"] === "static");
  const mean = final.reduce((sum, row) => sum + Number(row["eval_score"]), 0) / SEEDS.length;
  expect(await paper.getByRole("row", { name: /^static/ }).textContent()).toContain(mean.toFixed(3));
  const timed = await steps.getByRole("rowheader").allTextContents();
  expect(timed.map((head) => head.trim())).toEqual(["static", "POW3R"]);
  expect(await steps.getByRole("columnheader").last().textContent()).toBe("gain of balanced");
  expect(await compare.locator(".dominance polyline").count()).toBe(ARMS.length);
});

test("another seed is looked at, and another arm compared with, by keyboard", async () => {
  const { page } = play;
  const seed = page.getByRole("combobox", { name: "Seed whose table" }).first();
  await seed.focus();
  await page.keyboard.press("ArrowDown");
  await page
    .locator("figcaption", { hasText: `seed ${SEEDS[1] ?? 0}` })
    .first()
    .waitFor();
  expect(await page.locator(".rollouts .no-rollouts").count()).toBe(0);
  const reference = page.getByRole("combobox", { name: "Compared with" });
  await reference.focus();
  await page.keyboard.press("ArrowUp");
  await page.getByRole("columnheader", { name: "gain of static" }).waitFor();
  expect(record.errors).toEqual([]);
});
