/** The worker's handlers on the real loader, engine and policy (onnxruntime-node), with a tiny random model. */
import { beforeEach, expect, test } from "vitest";
import type { RunRow } from "../../domain/run/records.ts";
import { runSpecSchema, type RunSpec } from "../../domain/run/spec.ts";
import type { MachineReport } from "../../engine/runtime/device.ts";
import { openNodeEngine } from "../../engine/runtime/ort-node.ts";
import { createRandomModelSource } from "../../testing/random-model.ts";
import { memoryRunStore, type MemoryRunStore } from "../../testing/memory-run-store.ts";
import type { Params, RequestName, Result, ToWorker, WorkerEvent } from "../protocol/messages.ts";
import { answer } from "./dispatch.ts";
import { createHandlers } from "./handlers.ts";
import { openModel } from "./loaded-model.ts";
import { createRunClaims } from "./run-claims.ts";
import { withTurns } from "./turns.ts";

const MACHINE: MachineReport = { cores: 2, crossOriginIsolated: false, threads: 1, gpu: null };

let store: MemoryRunStore;
let events: WorkerEvent[];
beforeEach(() => {
  store = memoryRunStore();
  events = [];
});

type Request = <Name extends RequestName>(name: Name, params: Params<Name>) => Promise<Result<Name>>;

/** A worker's end of the protocol; throws the fault of a failed request. */
function worker(): Request {
  let id = 0;
  let made = 0;
  const handlers = createHandlers({
    store,
    emit: (event) => events.push(event),
    now: () => performance.now(),
    wallClock: () => 1,
    schedule: (callback, delayMs) => setTimeout(callback, delayMs),
    newId: () => `run-${++made}`,
    claimRun: createRunClaims(undefined),
    claimedRuns: () => Promise.resolve(new Set<string>()),
    openModel: (choice, onProgress) =>
      openModel({
        source: createRandomModelSource(),
        choice,
        machine: MACHINE,
        openEngine: () => Promise.resolve(withTurns(openNodeEngine(1), () => performance.now())),
        now: () => performance.now(),
        onProgress,
      }),
  });
  return async (name, params) => {
    const message = await answer(handlers, { id: ++id, name, params } as ToWorker);
    if (message.kind !== "result") throw Object.assign(new Error(JSON.stringify(message)), message);
    return message.result as never;
  };
}

const prompt = (id: string, content: string): object => ({ id, messages: [{ role: "user", content }] });

function spec(override: object = {}, grpo: object = {}): RunSpec {
  return runSpecSchema.parse({
    scenarioId: "test",
    arms: [
      { id: "pow3r", rule: "pow3r", pow3r: { alpha_update: "step" } },
      { id: "static", rule: "static-scalar" },
    ],
    rubric: {
      title: "Test",
      criteria: [
        {
          id: "short",
          text: "has three words at most",
          category: "x",
          weight: 1,
          check: { type: "word-count", args: { max: 3 } },
        },
        {
          id: "digits",
          text: "holds a number",
          category: "x",
          weight: 1,
          check: { type: "matches-pattern", args: { pattern: "number" } },
        },
        { id: "judge", text: "is kind", category: "y", weight: 1 },
      ],
    },
    trainPrompts: [prompt("t1", "Hello"), prompt("t2", "My lamp is late")],
    heldOutPrompts: [prompt("h1", "A refund"), prompt("h2", "Hi")],
    grpo: { num_generations: 4, max_completion_length: 8, max_steps: 4, learning_rate: 1e-2, ...grpo },
    evaluateEvery: 2,
    evaluationSamples: 4,
    ...override,
  });
}

async function until(phase: string): Promise<void> {
  for (let i = 0; i < 3000; i++) {
    const last = events.findLast((event) => event.kind === "state");
    if (last?.state.phase === phase) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`never ${phase}`);
}

const timeless = (rows: readonly RunRow[]): RunRow[] =>
  rows.map((row) => (row.kind === "step" ? { ...row, metrics: { ...row.metrics, step_time: 0 } } : row));

test("loads the model, trains two arms, answers, and goes on after a reload with the same numbers", async () => {
  const request = worker();
  const model = await request("loadModel", { engine: "auto" });
  expect(model).toMatchObject({ name: "random", architecture: "qwen3", engine: "wasm", available: ["wasm"] });
  expect(model.reason).toContain("no GPU adapter");
  expect(model.adapterParameters).toBeGreaterThan(1000);
  expect(events.some((event) => event.kind === "progress" && event.progress?.phase === "fetch")).toBe(true);

  await request("createRun", { spec: spec(), seeds: [1] });
  await request("train", {});
  await until("stopped");
  const { rows: whole } = await request("exportRows", {});
  expect(whole.map((row) => [row.kind, row.step])).toEqual(
    // the base after the first step, which a person waits for
    [1, 1, 0, 0, 2, 2, 2, 2, 3, 3, 4, 4, 4, 4].map((step, i) => [
      [2, 3, 6, 7, 12, 13].includes(i) ? "evaluation" : "step",
      step,
    ]),
  );

  const steps = whole.filter((row) => row.kind === "step");
  expect(steps.some((row) => !row.zeroSignal && (row.metrics["grad_norm"] ?? 0) > 0)).toBe(true);

  await request("createRun", { spec: spec(), seeds: [1] });
  await request("step", {});
  await until("paused");
  const { groups } = await request("rollouts", { seed: 1, arm: "static", step: 1 });
  expect(groups[0]?.rollouts).toHaveLength(4);
  expect(groups[0]?.rollouts[0]?.verdicts[2]).toBeNull();
  const messages = [{ role: "user" as const, content: "Hi" }];
  const chats = [null, "pow3r", "static"].map((arm) => ({ arm, messages }));
  const ask = { id: 1, chats, temperature: 1, seed: 3, maxTokens: 8 };
  const { answers } = await request("chat", ask);
  expect(answers.map(({ arm }) => arm)).toEqual([null, "pow3r", "static"]);
  expect(await request("chat", ask)).toEqual({ answers });
  await request("pause", {});

  const later = worker();
  await later("loadModel", { engine: "wasm" });
  const saved = await later("listRuns", {});
  expect(saved.runs).toMatchObject([
    { id: "run-1", step: 4 },
    { id: "run-2", step: 1 },
  ]);
  const restored = await later("resumeRun", { id: "run-2", checkpoint: null });
  expect(restored.step).toBe(1);
  events = [];
  await later("train", {});
  await until("stopped");
  expect(timeless((await later("exportRows", {})).rows)).toEqual(timeless(whole));
});

test("tells what cannot be done, with the fault's code", async () => {
  const request = worker();
  await expect(request("createRun", { spec: spec(), seeds: [1] })).rejects.toMatchObject({
    fault: { code: "run-state" },
  });
  await request("loadModel", { engine: "auto" });
  await expect(request("train", {})).rejects.toMatchObject({ fault: { code: "run-state" } });
  const long = spec({}, { max_completion_length: 90 });
  await expect(request("createRun", { spec: long, seeds: [1] })).rejects.toMatchObject({
    fault: { code: "config-invalid" },
  });
  await expect(request("resumeRun", { id: "x", checkpoint: null })).rejects.toMatchObject({
    fault: { code: "record-invalid" },
  });
});

test("settings that cannot be used leave the run as it is, training on", async () => {
  const request = worker();
  await request("loadModel", { engine: "auto" });
  await request("createRun", { spec: spec({}, { max_steps: 30 }), seeds: [1] });
  await request("train", {});
  const refused = {
    fault: { code: "config-invalid", message: expect.stringContaining('prompt "t1"') as string },
  };
  await expect(
    request("createRun", { spec: spec({}, { max_completion_length: 90 }), seeds: [1] }),
  ).rejects.toMatchObject(refused);
  const long = [prompt("t1", "word ".repeat(80))];
  await expect(
    request("createRun", { spec: spec({ trainPrompts: long }), seeds: [1] }),
  ).rejects.toMatchObject(refused);
  await until("stopped");
  const { rows } = await request("exportRows", {});
  expect(rows.findLast((row) => row.kind === "step")?.step).toBe(30);
});

test("tries a rubric on an answer without a run", async () => {
  const request = worker();
  const { judgements } = await request("tryRubric", {
    rubric: spec().rubric,
    promptId: null,
    answer: "Two are here, Sam",
  });
  expect(judgements[0]?.reason).toContain("4");
  expect(judgements.map(({ verdict }) => verdict)).toEqual([0, 0, null]);
});

test("another LoRA setting gets its own policy, and a saved run of the old one is refused only where it does not fit", async () => {
  const request = worker();
  await request("loadModel", { engine: "auto" });
  const lora = { r: 2, lora_alpha: 4, target_modules: ["q_proj"] };
  await request("createRun", { spec: spec({}, { lora }), seeds: [1] });
  await request("step", {});
  await until("paused");
  await request("pause", {});
  await request("createRun", { spec: spec(), seeds: [1] });
  const restored = await request("resumeRun", { id: "run-1", checkpoint: null });
  expect(restored.spec.grpo.lora.r).toBe(2);
  await request("step", {});
  await until("paused");
  await request("pause", {});
  expect((await request("exportRows", {})).rows.filter((row) => row.kind === "step")).toHaveLength(4);
});
