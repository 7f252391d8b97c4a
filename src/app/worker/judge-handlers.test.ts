/** The worker's judges on a tiny random model and a local endpoint: keys, budgets, trials, comparisons, and what is refused. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { endpointJudgeSchema, type EndpointJudgeSpec } from "../../domain/run/judge-spec.ts";
import { runSpecSchema, type RunSpec } from "../../domain/run/spec.ts";
import { openNodeEngine } from "../../engine/runtime/ort-node.ts";
import { startJudgeServer, type JudgeServer, type JudgeServerOptions } from "../../testing/judge-server.ts";
import { memoryRunStore } from "../../testing/memory-run-store.ts";
import { createRandomModelSource } from "../../testing/random-model.ts";
import type { Params, RequestName, Result, ToWorker, WorkerEvent } from "../protocol/messages.ts";
import { answer } from "./dispatch.ts";
import { createHandlers } from "./handlers.ts";
import { openModel } from "./loaded-model.ts";
import { createRunClaims } from "./run-claims.ts";

const KEY = "sk-worker-123456";
const IDENTITY = { id: "org/model", revision: null, storage: "f32", thinking: false } as const;

let events: WorkerEvent[];
let server: JudgeServer;
beforeEach(() => {
  events = [];
});
afterEach(() => server.close());

type Request = <Name extends RequestName>(name: Name, params: Params<Name>) => Promise<Result<Name>>;

/** @param real false = the model counts as the bundled one */
async function worker(real: boolean): Promise<Request> {
  let id = 0;
  const handlers = createHandlers({
    store: memoryRunStore(),
    emit: (event) => events.push(event),
    now: () => performance.now(),
    wallClock: () => 1,
    schedule: (callback, delayMs) => setTimeout(callback, delayMs),
    newId: () => `run-${id}`,
    claimRun: createRunClaims(undefined),
    claimedRuns: () => Promise.resolve(new Set<string>()),
    network: { fetch, sleep: () => Promise.resolve(), wallClock: () => 0 },
    openModel: (choice, onProgress, model) =>
      openModel({
        source: createRandomModelSource(),
        choice,
        machine: { cores: 2, crossOriginIsolated: false, threads: 1, gpu: null },
        openEngine: () => Promise.resolve(openNodeEngine(1)),
        now: () => performance.now(),
        onProgress,
        identity: real || model.kind !== "bundled" ? IDENTITY : null,
      }),
  });
  const request: Request = async (name, params) => {
    const message = await answer(handlers, { id: ++id, name, params } as ToWorker);
    if (message.kind !== "result") throw Object.assign(new Error(JSON.stringify(message)), message);
    return message.result as never;
  };
  await request("loadModel", { engine: "auto" });
  return request;
}

const criterion = (id: string, text: string, more: object = {}): object => ({
  id,
  text,
  category: "x",
  weight: 1,
  ...more,
});

function spec(override: object = {}): RunSpec {
  const prompt = (id: string): object => ({ id, messages: [{ role: "user", content: "Hello" }] });
  return runSpecSchema.parse({
    scenarioId: "test",
    arms: [{ id: "static", rule: "static-scalar" }],
    rubric: {
      title: "Test",
      criteria: [
        criterion("short", "has at most three words", { check: { type: "word-count", args: { max: 3 } } }),
        criterion("kind", "is kind"),
        criterion("rude", "is rude", { penalty: true }),
      ],
    },
    trainPrompts: [prompt("t1"), prompt("t2")],
    heldOutPrompts: [prompt("h1")],
    grpo: { num_generations: 4, max_completion_length: 6, max_steps: 2 },
    evaluateEvery: 2,
    evaluationSamples: 4,
    ...override,
  });
}

async function judgeOf(options: JudgeServerOptions, more: object = {}): Promise<EndpointJudgeSpec> {
  server = await startJudgeServer(options);
  return endpointJudgeSchema.parse({ kind: "endpoint", url: server.url, model: "m", ...more });
}

async function until(phase: string): Promise<void> {
  await expect
    .poll(() => events.findLast((event) => event.kind === "state")?.state.phase, { timeout: 30_000 })
    .toBe(phase);
}

test("a run is judged with the key that the worker holds, which is in no message, row or file", async () => {
  const judge = await judgeOf({});
  const request = await worker(false);
  await request("setJudgeKey", { url: judge.url, key: KEY });
  await request("createRun", { spec: spec({ judge }), seeds: [1] });
  await request("train", {});
  await until("stopped");
  expect(server.calls.every(({ authorization }) => authorization === `Bearer ${KEY}`)).toBe(true);
  const { text } = await request("exportSettings", {});
  const { rows } = await request("exportRows", {});
  expect(text).toContain(judge.url);
  const told = () => events.findLast((event) => event.kind === "judge")?.usages;
  await expect.poll(() => told()?.training?.calls).toBe(server.calls.length);
  expect(told()?.heldOut).toBeNull();
  expect(JSON.stringify([text, rows, events])).not.toContain(KEY);
  await request("setJudgeKey", { url: judge.url, key: null });
  await request("tryJudge", { judge, rubric: spec().rubric, promptId: "t1", answer: "new words" });
  expect(server.calls.at(-1)?.authorization).toBeNull();
});

test("a run that has spent its budget stands at its last good step, and goes on with another", async () => {
  const judge = await judgeOf({}, { maxCalls: 3 });
  const request = await worker(false);
  await request("createRun", { spec: spec({ judge }), seeds: [1] });
  await request("train", {});
  await until("failed");
  expect(events.findLast((event) => event.kind === "state")?.state.fault?.code).toBe("judge-spent");
  expect(server.calls.length).toBe(3);
  await request("setJudgeBudget", { of: "training", budget: { maxCalls: null, maxTotalTokens: null } });
  await request("train", {});
  await until("stopped");
  expect(server.calls.length).toBeGreaterThan(3);
});

test("pausing ends a judge that hangs at once", async () => {
  const judge = await judgeOf({ misbehave: () => ({ kind: "hang" }) }, { timeoutS: 600 });
  const request = await worker(false);
  await request("createRun", { spec: spec({ judge }), seeds: [1] });
  await request("train", {});
  await expect.poll(() => server.calls.length).toBeGreaterThan(0);
  const before = performance.now();
  await request("pause", {});
  expect(performance.now() - before).toBeLessThan(2000);
  await expect.poll(() => server.goneAway()).toBeGreaterThan(0);
});

test("one answer is tried: by the judge on every criterion, by the check where there is one; a trial can be stopped", async () => {
  const judge = await judgeOf({ met: (text) => text === "is rude" });
  const request = await worker(false);
  const asked = { judge, rubric: spec().rubric, promptId: null, answer: "one two three four" };
  const { judged, checked } = await request("tryJudge", asked);
  expect(judged.map(({ verdict }) => verdict)).toEqual([0, 0, 0]); // rude is met, and costs
  expect(checked.map((judgement) => judgement?.verdict)).toEqual([0, undefined, undefined]);
  await server.close();
  const hanging = await judgeOf({ misbehave: () => ({ kind: "hang" }) }, { timeoutS: 600 });
  const ended = expect(request("tryJudge", { ...asked, judge: hanging })).rejects.toMatchObject({
    fault: { code: "aborted" },
  });
  await expect.poll(() => server.calls.length).toBeGreaterThan(0);
  await request("stopJudgeTrial", {});
  await ended;
});

test("agreement: with the checks on the newest rollouts, and with labels, in the criterion's words", async () => {
  const judge = await judgeOf({
    met: (_, text) => text.split(/\s+/).filter((word) => word !== "").length <= 3,
  });
  const request = await worker(false);
  await request("createRun", { spec: spec(), seeds: [1] });
  const { rubric } = spec();
  expect((await request("compareJudge", { judge, rubric, labels: null, mostAnswers: 9 })).compared).toEqual(
    [],
  );
  await request("step", {});
  await until("paused");
  const { compared } = await request("compareJudge", { judge, rubric, labels: null, mostAnswers: 3 });
  expect(compared.length).toBe(3);
  expect(
    compared.every(({ criterionId, judge: said, truth }) => criterionId === "short" && said === truth),
  ).toBe(true);
  const label = (criterionId: string, met: boolean) => ({
    prompt: "Hi",
    answer: "you fool",
    criterionId,
    met,
  });
  const labels = [label("rude", true), label("kind", false), label("gone", true)];
  const { compared: byLabels } = await request("compareJudge", { judge, rubric, labels, mostAnswers: 9 });
  expect(byLabels).toEqual([
    { criterionId: "rude", judge: 1, truth: 1, pYes: null },
    { criterionId: "kind", judge: 1, truth: 0, pYes: null },
  ]);
});

test("the bundled model is refused as judge, alone and as a second one; the run before it stays", async () => {
  server = await startJudgeServer();
  const request = await worker(false);
  const { runId } = await request("createRun", { spec: spec(), seeds: [1] });
  const local = { kind: "local", model: "base", threshold: 0.5 } as const;
  const refused = { fault: { code: "judge-refused" } };
  const own = request("createRun", { spec: spec({ judge: local }), seeds: [1] });
  await expect(own).rejects.toMatchObject(refused);
  expect((await request("exportSettings", {})).text).not.toContain('"local"');
  expect(runId).toBeDefined();
  await expect(request("loadJudgeModel", { model: { kind: "bundled" } })).rejects.toMatchObject(refused);
  const named = { ...local, model: { name: "another" } };
  const missing = request("tryJudge", { judge: named, rubric: spec().rubric, promptId: null, answer: "x" });
  await expect(missing).rejects.toMatchObject(refused);
});

test("a model other than the bundled one is asked, and a second one beside it; what is too long for them is missing", async () => {
  server = await startJudgeServer();
  const request = await worker(true);
  const local = { kind: "local", model: "base", threshold: 0.5 } as const;
  const { name } = await request("loadJudgeModel", {
    model: { kind: "url", url: "http://x", storage: "f32", thinking: false },
  });
  for (const judge of [local, { ...local, model: { name: name ?? "" } }]) {
    const asked = { judge, rubric: spec().rubric, promptId: null, answer: "a" };
    const { judged } = await request("tryJudge", asked);
    expect(judged.map(({ verdict }) => verdict)).toEqual([null, null, null]);
    expect(judged[0]?.reason).toMatch(/too long for the judge: \d+ of 96 tokens/);
  }
});
