/**
 * The trainer's own loss, from settings to gradient, on the numbers that TRL's code was given: weights, micro-batches,
 * the loss as a graph, its gradient and the logged means. The model is left out: a plan whose adapter holds the
 * log-probability of every token, and whose token ids say where. Token 0 is padding. It and masked completions have
 * numbers that would overflow, or count as clipped, if they were let into the loss.
 */
import { afterAll, describe, expect, it } from "vitest";
import { defined } from "../../base/assert.ts";
import { gradients } from "../../engine/graph/autodiff.ts";
import { interpret } from "../../engine/graph/interpreter.ts";
import { Graph } from "../../engine/graph/ir.ts";
import { float32, type HostTensor } from "../../engine/graph/tensor.ts";
import { grpoTokenLoss, type GrpoLossSettings } from "../../engine/nn/grpo-loss.ts";
import type { Engine, Session } from "../../engine/runtime/engine.ts";
import { NODE_ENGINES } from "../../testing/node-engines.ts";
import { lossRowsOf, trlSteps, type TrlStep } from "../../testing/trl-fixtures.ts";
import type { TrainingGroup } from "../policy.ts";
import { COARSE } from "./pack-update.ts";
import { grpoGradient } from "./update.ts";
import type { PlanLoss, UpdatePlan } from "./update-plan.ts";

const engines = await Promise.all(NODE_ENGINES.map(async ([name, open]) => [name, await open()] as const));
afterAll(() => Promise.all(engines.map(([, engine]) => engine.dispose())));

const PADDING = -200;

function lossGraph(tokens: number, settings: GrpoLossSettings): Graph {
  const graph = new Graph("loss");
  const logProbs = graph.input("logProbs", "float32", [tokens]);
  const loss = grpoTokenLoss(graph, logProbs, settings);
  graph.output("loss", loss);
  graph.output("gradient", defined(gradients(loss, [logProbs])[0], "gradient"));
  return graph;
}

/** Loss [] and gradient with respect to `logProbs` [M]. */
type RunLoss = (
  logProbs: Float32Array,
  loss: PlanLoss,
) => Promise<{ readonly loss: number; readonly gradient: ArrayLike<number> }>;

const inFloat64: RunLoss = (logProbs, { settings, feeds }) => {
  const host = Object.fromEntries(Object.entries(feeds).map(([name, tensor]) => [name, tensor.data]));
  const out = interpret(lossGraph(logProbs.length, settings), { ...host, logProbs });
  return Promise.resolve({
    loss: out["loss"]?.data[0] ?? NaN,
    gradient: defined(out["gradient"], "gradient").data,
  });
};

function onEngine(engine: Engine): RunLoss {
  const sessions = new Map<string, Session>();
  return async (logProbs, { settings, feeds }) => {
    const key = `${logProbs.length} ${JSON.stringify(settings)}`;
    const session =
      sessions.get(key) ?? (await engine.compile(lossGraph(logProbs.length, settings), { name: "loss" }));
    sessions.set(key, session);
    const out = await session.run({ ...feeds, logProbs: float32([logProbs.length], logProbs) });
    const data = (name: string): Float32Array => (out[name] as HostTensor).data as Float32Array;
    return { loss: data("loss")[0] ?? NaN, gradient: data("gradient") };
  };
}
const ON_ENGINES = engines.map(([name, engine]) => [name, onEngine(engine)] as const);

function planOf(run: RunLoss): UpdatePlan {
  return {
    rounding: COARSE,
    score: () => Promise.reject(new Error("not asked for here")),
    nextTokens: () => Promise.reject(new Error("not asked for here")),
    async gradient({ packed, adapter }, loss) {
      const { firstLabels, rowLabels } = packed.feeds;
      const labels = [...(firstLabels?.data as Int32Array), ...(rowLabels?.data as Int32Array)];
      const logProbs = Float32Array.from(labels, (label) => adapter[label] ?? NaN);
      const out = await run(logProbs, loss);
      const gradient = new Float32Array(adapter.length);
      labels.forEach((label, i) => (gradient[label] = (gradient[label] ?? 0) + (out.gradient[i] ?? NaN)));
      const entropy = new Float32Array(packed.shape.prompts + packed.shape.completionRows);
      return { loss: out.loss, gradient, logProbs, entropy };
    },
  };
}

/** The step's rows in groups; token ids count from 1, and the adapter holds their log-probabilities. */
function trainingGroupsOf(step: TrlStep): { groups: TrainingGroup[]; adapter: Float32Array } {
  const adapter = [PADDING];
  const rows = lossRowsOf(step).map((row) => ({
    tokens: Int32Array.from(Array.from(row.logProbs), (logProb) => adapter.push(logProb) - 1),
    advantage: row.advantage,
    oldLogProbs: Float32Array.from(
      row.inLoss
        ? row.oldLogProbs
        : Array.from(row.logProbs, (logProb) => logProb + Math.sign(row.advantage || 1) * PADDING),
    ),
    refLogProbs: step.config.beta === 0 ? null : Float32Array.from(row.refLogProbs ?? []),
    inLoss: row.inLoss,
  }));
  const G = trlSteps.num_generations;
  const groups = Array.from({ length: rows.length / G }, (_, p) => ({
    prompt: Int32Array.of(1, 2, 3),
    completions: rows.slice(p * G, (p + 1) * G),
  }));
  return { groups, adapter: Float32Array.from(adapter) };
}

/** Within 1e-5 of what is wanted; `floor` is float32's own rounding of numbers that cancel. */
function expectClose(got: ArrayLike<number>, wanted: readonly number[], floor: number): void {
  wanted.forEach((value, i) => {
    expect(Math.abs((got[i] ?? NaN) - value)).toBeLessThanOrEqual(1e-5 * Math.abs(value) + floor);
  });
}

/** Named in reference-loss.ts. */
const departs = (step: TrlStep): boolean => step.rows === "one token" && step.mask_truncated_completions;

async function expectTrl(step: TrlStep, run: RunLoss, microBatch: number | null): Promise<void> {
  const { groups, adapter } = trainingGroupsOf(step);
  const settings = { ...step.config, temperature: 1, micro_batch_size: microBatch };
  const result = await grpoGradient(planOf(run), groups, adapter, settings);
  const wanted = step.gradient.flat();
  const size = wanted.reduce((sum, value) => sum + Math.abs(value), 0);
  expectClose([result.loss], [step.loss], 1e-6 * size);
  expect(result.gradient[0]).toBe(0);
  expectClose(result.gradient.slice(1), wanted, 2e-8);
  if (departs(step)) return;
  const { low, high, region } = result.clipRatio;
  const names = ["clip_ratio/low_mean", "clip_ratio/high_mean", "clip_ratio/region_mean"];
  expectClose(
    [low ?? NaN, high ?? NaN, region ?? NaN],
    names.map((name) => step.logged[name] ?? NaN),
    1e-6,
  );
  if (step.config.beta === 0) expect(result.kl).toBeNull();
  else expectClose([result.kl ?? NaN], [step.logged["kl"] ?? NaN], 1e-6);
}

describe.each([["the float64 interpreter", inFloat64] as const, ...ON_ENGINES])(
  "the loss by %s",
  (_, run) => {
    it.each(trlSteps.cases.map((step) => [step.name, step] as const))("is TRL's: %s", async (_name, step) => {
      await expectTrl(step, run, null);
    });
  },
);

describe.each(ON_ENGINES)("on %s", (_, run) => {
  it.each(trlSteps.cases.map((step) => [step.name, step] as const))(
    "is TRL's over the whole batch, taken three completions at a time: %s",
    async (_name, step) => {
      await expectTrl(step, run, 3);
    },
  );
});
