/**
 * A language model in the page as the judge, on the built site: the frozen base of a model from a hub that is trained itself, and a
 * second model beside the bundled one. The hub is the server of `npm run hub`; its model is the bundled one with room for a judge's
 * questions, so its verdicts mean nothing, but they are its own.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readRepository } from "../scripts/hub/repository.ts";
import { type Hub, startHub } from "../scripts/hub/server.ts";
import { healthBenchRow } from "../src/testing/rubric-files.ts";
import { onFreshPage } from "./fresh-page.ts";
import { ofKind, type Playground } from "./playground.ts";

const BUNDLED = join(import.meta.dirname, "..", "models", "playground-qwen3-1m");
const TEST_MS = 180_000;
const FEW = { num_generations: 4, max_completion_length: 12, evaluationSamples: 4 };
const THRESHOLD = /^Met where P\(yes\)/;

let folder: string;
let hub: Hub;
let play: Playground;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "judge-model-"));
  cpSync(BUNDLED, folder, { recursive: true });
  const config = JSON.parse(readFileSync(join(folder, "config.json"), "utf8")) as object;
  writeFileSync(join(folder, "config.json"), JSON.stringify({ ...config, max_position_embeddings: 1024 }));
  hub = await startHub({ repositories: [await readRepository("test/roomy", folder)] });
});
afterAll(async () => {
  await hub.close();
  rmSync(folder, { recursive: true });
});
onFreshPage((fresh) => {
  ({ play } = fresh);
  play.page.setDefaultTimeout(30_000); // what never comes is named before the test is over
});

/** Points the model picker of a sheet at this test's hub. */
async function chooseRoomy(sheet: Locator): Promise<void> {
  await sheet.locator("summary", { hasText: "huggingface.co" }).click();
  await sheet.getByLabel("Hub address").fill(hub.url);
  await sheet.getByLabel("Model id").fill("test/roomy");
  await sheet.getByRole("radio", { name: "32-bit floats" }).check();
}

/** A run on four prompts of a HealthBench-shaped file, none of whose criteria has a check. */
async function openHealthBench(): Promise<void> {
  const rows = Array.from({ length: 4 }, (_, i) => ({
    ...healthBenchRow(i),
    prompt: [{ role: "user", content: `When will my order ${String(i)} arrive?` }],
  }));
  await play.page.getByText("Files", { exact: true }).click();
  const chosen = play.page.waitForEvent("filechooser");
  await play.page.getByRole("button", { name: "A rubric …" }).click();
  const buffer = Buffer.from(rows.map((row) => JSON.stringify(row)).join("\n"));
  await (await chosen).setFiles({ name: "hb.jsonl", mimeType: "text/plain", buffer });
  const sheet = play.page.getByRole("dialog", { name: "Open a rubric" });
  await sheet.getByRole("button", { name: "Start a run on 4 prompts" }).click();
  await play.control("Train").and(play.page.locator(":enabled")).waitFor();
}

async function openJudge(): Promise<Locator> {
  await play.page
    .getByRole("button", { name: /^(Choose a judge|Judge)$/ })
    .first()
    .press("Enter"); // a notice that comes or goes meanwhile moves the button under a mouse
  return play.page.getByRole("dialog", { name: "The judge" });
}

/** Takes the sheet's judge, and waits until the run that stands is one with a judge. */
async function useJudge(sheet: Locator): Promise<void> {
  await sheet.getByRole("button", { name: "Use it and start a fresh run" }).click();
  await play.page.locator(".notice", { hasText: /The judge: |A judge reads/ }).waitFor();
}

/** Every criterion of a step's prompt got its verdict, and the reward is made of them. */
async function judgedSteps(): Promise<void> {
  const steps = ofKind(await play.rows(), "step");
  expect(steps).toHaveLength(4); // two arms, two steps
  for (const row of steps) {
    expect(row["judge/missing"]).toBe(0);
    expect(row["judge/failed"]).toBe(0);
    expect(row["reward"]).toEqual(expect.any(Number));
  }
}

test(
  "the frozen base judges: two steps of judged criteria, its threshold, its chances, its calibration",
  async () => {
    await openHealthBench();
    await play.page.locator(".model-chip").click();
    const models = play.page.getByRole("dialog", { name: "Model" });
    await chooseRoomy(models);
    await models.getByRole("button", { name: "What does it cost?" }).click();
    await models.getByRole("button", { name: /load it/i }).click();
    await models.getByRole("heading", { name: "Loaded: test/roomy" }).waitFor();
    await models.getByRole("button", { name: "Close" }).click();
    await play.control("Train").and(play.page.locator(":enabled")).waitFor();
    await play.setUp(2, FEW);

    const sheet = await openJudge();
    await sheet.getByRole("radio", { name: "A model in this page" }).first().check();
    const base = sheet.getByRole("radio", { name: /^The model that is trained, as it was before/ });
    expect(await base.isChecked()).toBe(true);
    await sheet.getByLabel(THRESHOLD).fill("0.4");
    await useJudge(sheet);
    await play.finish("Train");
    await judgedSteps();
    await play.page
      .locator(".notice", { hasText: /The judge: \d+ verdicts · \d+ remembered · 0 missing/ })
      .waitFor();

    const again = await openJudge();
    expect(await again.getByLabel(THRESHOLD).inputValue()).toBe("0.4");
    await again.getByRole("textbox", { name: "Answer" }).fill("It will arrive on Friday.");
    await again.getByRole("button", { name: "Try the judge" }).click();
    const tried = again.locator(".tried li", {
      hasText: /Yes .* %, No .* %, .* % for Yes against 40 %/,
    });
    await tried.first().waitFor();
    expect(await tried.count()).toBe(4); // those of the prompt

    const [words = ""] = await play.page.locator(".criterion-row .criterion-name").allTextContents();
    const labels = ["yes", "no", "yes", "no"].map((met, i) => `reply ${String(i)},"${words.trim()}",${met}`);
    await again.getByRole("radio", { name: "With people's verdicts" }).check();
    await again.getByLabel(/^Labels, as CSV or JSON/).fill(["answer,criterion,met", ...labels].join("\n"));
    await again.getByRole("button", { name: "Compare" }).click();
    await again.getByRole("heading", { name: "What it says, and what is so" }).waitFor();
    expect(await again.locator(".judge-agreement tfoot td").first().textContent()).toBe("4");
    const best = again.getByRole("button", { name: /^Use \d/ });
    const threshold = Number((await best.textContent())?.replace("Use ", ""));
    await best.press("Enter");
    expect(Number(await again.getByLabel(THRESHOLD).inputValue())).toBeCloseTo(threshold, 2);
  },
  TEST_MS,
);

test(
  "the bundled model is refused with its reason; a second model judges it, and is held beside it",
  async () => {
    await openHealthBench();
    const sheet = await openJudge();
    await sheet.getByRole("radio", { name: "A model in this page" }).first().check();
    await sheet.getByText("The bundled model cannot judge", { exact: false }).waitFor();
    expect(await sheet.getByRole("radio", { name: /^The model that is trained/ }).isDisabled()).toBe(true);
    await sheet.getByRole("radio", { name: "A second model" }).check();
    await sheet.getByText("Load the second model first.").first().waitFor();
    await chooseRoomy(sheet);
    await sheet.getByRole("button", { name: "Load it", exact: true }).click();
    await sheet.getByText(/ is loaded as the judge\.$/).waitFor();
    await useJudge(sheet);
    await play.setUp(2, FEW);
    await play.finish("Train");
    await judgedSteps();
    expect(await play.page.locator(".model-chip").textContent()).toContain("1.0 M");
  },
  TEST_MS,
);
