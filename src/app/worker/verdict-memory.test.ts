/** Verdicts across workers: an interrupted run repeats those of one that was not, though its judge would now say otherwise. */
import { afterEach, expect, test } from "vitest";
import { endpointJudgeSchema } from "../../domain/run/judge-spec.ts";
import { runSpecSchema, type RunSpec } from "../../domain/run/spec.ts";
import { openNodeEngine } from "../../engine/runtime/ort-node.ts";
import { startJudgeServer, type JudgeServer } from "../../testing/judge-server.ts";
import { memoryRunStore } from "../../testing/memory-run-store.ts";
import { createRandomModelSource } from "../../testing/random-model.ts";
import type { KeptVerdict } from "../../training/judges/verdict-cache.ts";
import type { Params, RequestName, Result, ToWorker, WorkerEvent } from "../protocol/messages.ts";
import { answer } from "./dispatch.ts";
import { createHandlers } from "./handlers.ts";
import { openModel } from "./loaded-model.ts";
import { createRunClaims } from "./run-claims.ts";
import { createVerdictMemory, type VerdictStore } from "./verdict-memory.ts";

const servers: JudgeServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** A storage that outlives workers. */
function memoryStore(): VerdictStore & { readonly byJudge: Map<string, KeptVerdict[]> } {
  const byJudge = new Map<string, KeptVerdict[]>();
  return {
    byJudge,
    load: (judge) => Promise.resolve(byJudge.get(judge) ?? []),
    append: (judge, verdicts) => {
      byJudge.set(judge, [...(byJudge.get(judge) ?? []), ...verdicts]);
      return Promise.resolve();
    },
    sizeBytes: () => Promise.resolve(JSON.stringify([...byJudge]).length),
    clear: () => {
      byJudge.clear();
      return Promise.resolve();
    },
  };
}

/** A judge that says Yes to everything that it is asked again. */
async function contradictsItself(): Promise<JudgeServer> {
  const asked = new Map<string, number>();
  const server = await startJudgeServer({
    met: (criterion, text) => {
      const question = `${criterion}|${text}`;
      const times = asked.get(question) ?? 0;
      asked.set(question, times + 1);
      return times > 0 || (text.length + criterion.length) % 2 === 0;
    },
  });
  servers.push(server);
  return server;
}

function specAt(url: string, steps: number): RunSpec {
  const prompt = (id: string): object => ({ id, messages: [{ role: "user", content: `Hello ${id}` }] });
  return runSpecSchema.parse({
    scenarioId: "test",
    arms: [{ id: "pow3r", rule: "pow3r" }],
    rubric: {
      title: "Test",
      criteria: [
        { id: "kind", text: "is kind", category: "x", weight: 1 },
        { id: "rude", text: "is rude now", category: "x", weight: 2, penalty: true },
      ],
    },
    trainPrompts: [prompt("t1"), prompt("t2")],
    heldOutPrompts: [prompt("h1")],
    grpo: { num_generations: 4, max_completion_length: 3, max_steps: steps, save_steps: 1 },
    evaluateEvery: 1,
    evaluationSamples: 4,
    judge: endpointJudgeSchema.parse({ kind: "endpoint", url, model: "m" }),
  });
}

/** A tab: its worker, which ends with it. */
async function tab(runs: ReturnType<typeof memoryRunStore>, verdicts: VerdictStore | null) {
  const events: WorkerEvent[] = [];
  let id = 0;
  const handlers = createHandlers({
    store: runs,
    emit: (event) => events.push(event),
    now: () => performance.now(),
    wallClock: () => 1,
    schedule: (callback, delayMs) => setTimeout(callback, delayMs),
    newId: () => "run",
    claimRun: createRunClaims(undefined),
    claimedRuns: () => Promise.resolve(new Set<string>()),
    network: { fetch, sleep: () => Promise.resolve(), wallClock: () => 0 },
    verdicts: () => Promise.resolve(verdicts),
    openModel: (choice, onProgress) =>
      openModel({
        source: createRandomModelSource(),
        choice,
        machine: { cores: 2, crossOriginIsolated: false, threads: 1, gpu: null },
        openEngine: () => Promise.resolve(openNodeEngine(1)),
        now: () => performance.now(),
        onProgress,
      }),
  });
  const request = async <Name extends RequestName>(
    name: Name,
    params: Params<Name>,
  ): Promise<Result<Name>> => {
    const message = await answer(handlers, { id: ++id, name, params } as ToWorker);
    if (message.kind !== "result") throw new Error(JSON.stringify(message));
    return message.result as never;
  };
  await request("loadModel", { engine: "auto" });
  const until = async (phase: string): Promise<void> => {
    await expect
      .poll(() => events.findLast((event) => event.kind === "state")?.state.phase, { timeout: 30_000 })
      .toBe(phase);
  };
  return { request, until };
}

async function rowsOf({ request }: Awaited<ReturnType<typeof tab>>): Promise<unknown> {
  const { rows } = await request("exportRows", {});
  return rows.map((row) =>
    "metrics" in row ? { ...row, metrics: { ...row.metrics, step_time: null } } : row,
  );
}

const STEPS = 4;

/** Trains two steps, closes the tab, goes on in another. */
async function interrupted(verdicts: VerdictStore | null) {
  const server = await contradictsItself();
  const runs = memoryRunStore();
  const first = await tab(runs, verdicts);
  await first.request("createRun", { spec: specAt(server.url, STEPS), seeds: [1] });
  for (let step = 0; step < 2; step++) {
    await first.request("step", {});
    await first.until("paused");
  }
  const second = await tab(runs, verdicts);
  await second.request("resumeRun", { id: "run", checkpoint: null });
  await second.request("train", {});
  await second.until("stopped");
  return { rows: await rowsOf(second), calls: server.calls.length, tab: second };
}

async function uninterrupted() {
  const server = await contradictsItself();
  const only = await tab(memoryRunStore(), null);
  await only.request("createRun", { spec: specAt(server.url, STEPS), seeds: [1] });
  await only.request("train", {});
  await only.until("stopped");
  return { rows: await rowsOf(only), calls: server.calls.length };
}

test("a run that goes on in another tab gives the numbers of one that was never interrupted, and pays no call twice", async () => {
  const whole = await uninterrupted();
  const verdicts = memoryStore();
  const parts = await interrupted(verdicts);
  expect(parts.rows).toEqual(whole.rows);
  expect(parts.calls).toBe(whole.calls);
  expect(await parts.tab.request("judgeMemory", {})).toEqual({ keptBytes: await verdicts.sizeBytes() });
  // the control: without a storage the judge is asked again, and contradicts itself
  const forgetful = await interrupted(null);
  expect(forgetful.calls).toBeGreaterThan(whole.calls);
  expect(forgetful.rows).not.toEqual(whole.rows);
});

test("forgetting empties memory and storage", async () => {
  const verdicts = memoryStore();
  const memory = createVerdictMemory(
    () => Promise.resolve(verdicts),
    () => undefined,
  );
  const cache = await memory.cacheFor("judge");
  cache.put("answer", "criterion", { verdict: 1, reason: "so" });
  await memory.flush();
  expect(verdicts.byJudge.get("judge")).toEqual([
    { answer: "answer", criterion: "criterion", verdict: 1, reason: "so" },
  ]);
  cache.put("another", "criterion", { verdict: 0, reason: "so" });
  await memory.forget();
  expect(cache.get("answer", "criterion")).toBeNull();
  expect(verdicts.byJudge.size).toBe(0);
  await memory.flush();
  expect(verdicts.byJudge.size).toBe(0);
});

test("a storage that fails is told, and verdicts stay in memory", async () => {
  const broken = { ...memoryStore(), append: () => Promise.reject(new Error("full")) };
  const memory = createVerdictMemory(
    () => Promise.resolve(broken),
    () => undefined,
  );
  const cache = await memory.cacheFor("judge");
  cache.put("answer", "criterion", { verdict: 1, reason: "so" });
  expect(await memory.keptBytes()).toBeNull();
  expect(cache.get("answer", "criterion")?.verdict).toBe(1);
});
