/**
 * One seed of an experiment's file, by the page's worker and by the command line's runner, both on onnxruntime-web's WASM
 * and the bundled model: the same numbers, bit for bit.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { cellsOf, parseExperiment, specOfSeed } from "../../domain/experiment/experiment-file.ts";
import { checks } from "../../domain/rubric/checks/registry.ts";
import { rowsOfSeed, type RunRow } from "../../domain/run/records.ts";
import type { RunSpec } from "../../domain/run/spec.ts";
import { openNodeWasmEngine } from "../../engine/runtime/ort-node-wasm.ts";
import { createTextCodec } from "../../engine/text/tokenizer.ts";
import { loadModel } from "../../engine/weights/load-model.ts";
import { createFolderSource } from "../../headless/folder-source.ts";
import { runSeed } from "../../headless/run-seed.ts";
import { bundledModelFolders, bundledModelMissing } from "../../testing/bundled-model.ts";
import { memoryRunStore } from "../../testing/memory-run-store.ts";
import { createModelPolicy } from "../../training/model-policy/create.ts";
import type { Params, RequestName, Result, ToWorker, WorkerEvent } from "../protocol/messages.ts";
import { answer } from "./dispatch.ts";
import { createHandlers } from "./handlers.ts";
import { openModel } from "./loaded-model.ts";
import { createRunClaims } from "./run-claims.ts";
import { withTurns } from "./turns.ts";

const FILES = ["model.safetensors", "tokenizer.json"];
const missing = bundledModelMissing(...FILES);
const folder = bundledModelFolders(...FILES)[0] ?? "";
const SEED = 3;
const STEPS = 10;
const now = (): number => performance.now();

const text = JSON.stringify({
  name: "ten-steps",
  question: "Does the page train what the command line trains?",
  scenario: "customer-reply",
  setUp: "heavy",
  seeds: [SEED],
  arms: [
    { id: "static", rule: "static-scalar" },
    { id: "pow3r", rule: "pow3r" },
  ],
  baseline: "static",
  grpo: { max_steps: STEPS, num_generations: 4, prompts_per_step: 1, max_completion_length: 12 },
  evaluateEvery: 5,
  evaluationSamples: 8,
});

/** Rows in one order (the page answers for the base after its first step), without the seconds that steps took. */
function comparable(rows: readonly RunRow[]): readonly RunRow[] {
  const timeless = rows.map((row) =>
    row.kind === "step" ? { ...row, metrics: { ...row.metrics, step_time: 0 } } : row,
  );
  return timeless.toSorted((a, b) => a.step - b.step || a.kind.localeCompare(b.kind));
}

async function onThePage(spec: RunSpec): Promise<readonly RunRow[]> {
  let ended = (): void => undefined;
  const stopped = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const handlers = createHandlers({
    store: memoryRunStore(),
    emit: (event: WorkerEvent) => {
      if (event.kind === "state" && ["stopped", "failed"].includes(event.state.phase)) ended();
    },
    now,
    wallClock: () => 1,
    schedule: (callback, delayMs) => setTimeout(callback, delayMs),
    newId: () => "run",
    claimRun: createRunClaims(undefined),
    claimedRuns: () => Promise.resolve(new Set<string>()),
    openModel: (choice, onProgress) =>
      openModel({
        source: createFolderSource(folder),
        choice,
        machine: { cores: 2, crossOriginIsolated: false, threads: 1, gpu: null },
        openEngine: () => Promise.resolve(withTurns(openNodeWasmEngine(1), now)),
        now,
        onProgress,
      }),
  });
  const request = async <Name extends RequestName>(
    name: Name,
    params: Params<Name>,
  ): Promise<Result<Name>> => {
    const message = await answer(handlers, { id: 1, name, params } as ToWorker);
    if (message.kind !== "result") throw new Error(JSON.stringify(message));
    return message.result as Result<Name>;
  };
  await request("loadModel", { engine: "wasm" });
  await request("createRun", { spec, seeds: [SEED] });
  await request("train", {});
  await stopped;
  const { rows } = await request("exportRows", {});
  await request("stop", {});
  return rows;
}

async function headless(spec: RunSpec): Promise<readonly RunRow[]> {
  const model = await loadModel(createFolderSource(folder));
  const codec = await createTextCodec(model.tokenizerFiles, model.endTokenIds);
  const engine = openNodeWasmEngine(1);
  const { maxPositions } = model.config;
  const policy = createModelPolicy({ engine, model, lora: spec.grpo.lora, maxPositions });
  const place = await mkdtemp(join(tmpdir(), "ten-steps-"));
  onTestFinished(() => rm(place, { recursive: true }));
  const record = await runSeed(
    { policy, codec, checks, now },
    {
      spec,
      checkpoint: join(place, "seed.run"),
      signal: new AbortController().signal,
      report: () => undefined,
    },
  );
  await engine.dispose();
  return rowsOfSeed(SEED, record.rows);
}

test.skipIf(missing !== null)("the page's first ten steps are the command line's", async () => {
  const experiment = parseExperiment(text, "ten-steps.json");
  const [cell] = cellsOf(experiment);
  if (cell === undefined) throw new Error("no cell");
  const spec = specOfSeed(experiment, cell, SEED, "ten-steps.json");
  const page = comparable(await onThePage(spec));
  expect(page.filter((row) => row.kind === "step")).toHaveLength(2 * STEPS);
  expect(page.some((row) => row.kind === "step" && (row.metrics["grad_norm"] ?? 0) > 0)).toBe(true);
  expect(page).toEqual(comparable(await headless(spec)));
});
