/** One update on a table of logits, a row a token, against TRL's loss with torch's softmax, clip and AdamW. */
import { describe, expect, it } from "vitest";
import { defined } from "../base/assert.ts";
import { adamwStep, clipByGlobalNorm } from "../domain/grpo/adamw.ts";
import { grpoConfigSchema, type GrpoConfig } from "../domain/grpo/config.ts";
import { lossTokenMean, referenceLoss } from "../domain/grpo/reference-loss.ts";
import { readFixture } from "../testing/trl-fixtures.ts";
import type { GradientResult, LossConfig, Policy, TrainingGroup } from "./policy.ts";
import type { SampledGroup } from "./rollout.ts";
import { freshOptimizer, updateAdapter } from "./update.ts";

interface Iterations {
  readonly name: string;
  readonly config: Partial<GrpoConfig>;
  readonly learning_rate: number;
  readonly lengths: readonly number[];
  readonly ended: readonly boolean[];
  readonly labels: readonly number[];
  readonly advantages: readonly number[];
  readonly start: readonly number[];
  readonly passes: readonly Readonly<Record<string, number>>[];
  readonly end: readonly number[];
}
const cases = (readFixture("trl-iterations.json") as { cases: readonly Iterations[] }).cases;
const V = 4;
const G = 4;

function logSoftmax(logits: readonly number[]): number[] {
  const total = Math.log(logits.reduce((sum, x) => sum + Math.exp(x), 0));
  return logits.map((x) => x - total);
}

/** A policy whose adapter is the table; token n of the batch has the id n and stands in row n. */
function tablePolicy(labels: readonly number[]): Policy {
  const rowOf = (table: Float32Array | null, id: number): number[] =>
    logSoftmax(table === null ? [0, 0, 0, 0] : [...table.slice(id * V, (id + 1) * V)]);
  const score = (table: Float32Array | null, tokens: Int32Array): Float32Array =>
    Float32Array.from(tokens, (id) => rowOf(table, id)[labels[id] ?? -1] ?? NaN);
  const gradient = (
    groups: readonly TrainingGroup[],
    table: Float32Array,
    loss: LossConfig,
  ): Promise<GradientResult> => {
    const given = groups.flatMap((group) => group.completions);
    const rows = given.map((row) => ({
      ...row,
      logProbs: score(table, row.tokens),
      inLoss: row.inLoss !== false,
    }));
    const result = referenceLoss(rows, loss);
    const slopes = new Float32Array(table.length);
    const entropies = given.map((row, i) =>
      Array.from(row.tokens, (id, t) => {
        const logProbs = rowOf(table, id);
        logProbs.forEach((logProb, v) => {
          const slope = (v === labels[id] ? 1 : 0) - Math.exp(logProb);
          slopes[id * V + v] = (result.gradient[i]?.[t] ?? NaN) * slope;
        });
        return -logProbs.reduce((sum, logProb) => sum + Math.exp(logProb) * logProb, 0);
      }),
    );
    const logProbs = groups.map((group) => group.completions.map((row) => score(table, row.tokens)));
    return Promise.resolve({
      ...result,
      gradient: slopes,
      logProbs,
      entropy: lossTokenMean(rows, entropies),
    });
  };
  return {
    adapterSize: labels.length * V,
    adapterTensors: [],
    initialAdapter: () => new Float32Array(labels.length * V),
    rollout: () => Promise.reject(new Error("not asked for here")),
    gradient,
    logProbs: (groups, table) =>
      Promise.resolve(groups.map((group) => group.completions.map((tokens) => score(table, tokens)))),
    nextTokens: () => Promise.reject(new Error("not asked for here")),
    optimize: (adapter, slopes, state, config) => {
      const clipped = clipByGlobalNorm([...slopes], config.maxGradNorm);
      const from = { parameters: [...adapter], m: [...state.m], v: [...state.v], step: state.step };
      const next = adamwStep(from, clipped.gradient, {
        learningRate: config.learningRate,
        adam_beta1: config.beta1,
        adam_beta2: config.beta2,
        adam_epsilon: config.epsilon,
        weight_decay: config.weightDecay,
      });
      return Promise.resolve({
        adapter: Float32Array.from(next.parameters),
        state: { m: Float32Array.from(next.m), v: Float32Array.from(next.v), step: next.step },
        gradNorm: clipped.norm,
      });
    },
    dispose: () => Promise.resolve(),
  };
}

/** The case's completions as the policy sampled them from the table it starts with. */
async function sampledGroups(
  policy: Policy,
  entry: Iterations,
  table: Float32Array,
): Promise<SampledGroup[]> {
  let next = 0;
  const tokens = entry.lengths.map((length) => Int32Array.from({ length }, () => next++));
  const prompt = Int32Array.of(0);
  const [logProbs] = await policy.logProbs([{ prompt, completions: tokens }], table, 1);
  const completions = tokens.map((ids, i) => ({
    tokens: ids,
    logProbs: defined(logProbs?.[i], "a row"),
    ended: entry.ended[i] ?? false,
  }));
  return [0, G].map((from) => ({
    prompt: { id: "p", messages: [], fields: {} },
    promptTokens: prompt,
    completions: completions.slice(from, from + G),
    answers: [],
  }));
}

async function update(
  entry: Iterations,
  changes: Partial<GrpoConfig> = {},
  advantages = entry.advantages,
  policy = tablePolicy(entry.labels),
) {
  const adapter = Float32Array.from(entry.start);
  const result = await updateAdapter(policy, {
    groups: await sampledGroups(policy, entry, adapter),
    advantages: [advantages.slice(0, G), advantages.slice(G)],
    from: { adapter, optimizer: freshOptimizer(adapter.length) },
    reference: null,
    config: grpoConfigSchema.parse({ ...entry.config, ...changes }),
    learningRate: entry.learning_rate,
    where: "test",
  });
  return { ...result, start: adapter };
}

describe("three iterations on one batch", () => {
  it.each(cases.map((entry) => [entry.name, entry] as const))("are TRL's: %s", async (_, entry) => {
    const result = await update(entry);
    const mean = (name: string): number =>
      entry.passes.reduce((sum, pass) => sum + (pass[name] ?? NaN), 0) / entry.passes.length;
    const { low, high, region } = result.clipRatio;
    const got = [result.loss, result.gradNorm, result.kl, result.entropy, low, high, region];
    const names = ["loss", "grad_norm", "kl", "entropy", "clip_ratio/low_mean", "clip_ratio/high_mean"];
    [...names, "clip_ratio/region_mean"].forEach((name, i) => {
      expect(Math.abs((got[i] ?? NaN) - mean(name)), name).toBeLessThan(1e-5 * Math.abs(mean(name)) + 1e-6);
    });
    entry.end.forEach((value, i) => {
      expect(Math.abs((result.to.adapter[i] ?? NaN) - value)).toBeLessThan(2e-5);
    });
    expect(mean("clip_ratio/region_mean")).toBeGreaterThan(0.05);
  });
});

it("measures later iterations from the training graph's own log-probabilities, the first from the sampler's", async () => {
  const entry = cases[0] as Iterations;
  const table = tablePolicy(entry.labels);
  const noisy = (rows: readonly (readonly Float32Array[])[]) =>
    rows.map((group) => group.map((row) => row.map((logProb) => logProb + 0.01)));
  const seen: Float32Array[][] = [];
  await update(entry, {}, entry.advantages, {
    ...table,
    logProbs: async (...request) => noisy(await table.logProbs(...request)),
    gradient: (groups, ...rest) => {
      seen.push(groups.flatMap((group) => group.completions.map((row) => row.oldLogProbs)));
      return table.gradient(groups, ...rest);
    },
  });
  const [first, second, third] = seen.map((rows) => rows.flatMap((row) => [...row]));
  expect(third).toEqual(second);
  first?.forEach((logProb, i) => {
    expect(logProb - (second?.[i] ?? NaN)).toBeCloseTo(0.01, 6);
  });
});

describe("truncated completions", () => {
  const [, masked] = cases;
  const entry = masked as Iterations;

  it("leave the sampler's difference out as they leave the loss", async () => {
    const { samplingDifference } = await update(entry);
    expect(samplingDifference.max).toBeLessThan(1e-6);
    const nothing = await update({ ...entry, ended: entry.ended.map(() => false) });
    expect(nothing.samplingDifference).toEqual({ mean: null, max: null });
  });

  it("change nothing where they are all there is, with KL too", async () => {
    const nothing = await update({ ...entry, ended: entry.ended.map(() => false) });
    expect([nothing.loss, nothing.gradNorm, nothing.entropy, nothing.kl]).toEqual([0, 0, null, null]);
    expect(nothing.to.adapter).toEqual(nothing.start);
    expect(nothing.to.optimizer.step).toBe(0);
  });

  it("change nothing where only they have an advantage", async () => {
    const advantages = entry.advantages.map((advantage, i) => (entry.ended[i] === true ? 0 : advantage));
    const still = await update(entry, { beta: 0 }, advantages);
    expect(still.to.optimizer.step).toBe(0);
    const moved = await update(entry, { beta: 0, mask_truncated_completions: false }, advantages);
    expect(moved.to.optimizer.step).toBe(3);
  });
});
