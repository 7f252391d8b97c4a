/** Advantages, losses, gradients, rates and AdamW against what TRL, transformers and torch computed on the same numbers. */
import { describe, expect, it } from "vitest";
import { caseRng, makeCriteria } from "../../testing/criteria.ts";
import { lossRowsOf, readFixture, trlSteps, type TrlStep } from "../../testing/trl-fixtures.ts";
import { gdpoAdvantages } from "../reward/gdpo.ts";
import type { ScoredGroup } from "../reward/score-groups.ts";
import { meanOf, sampleStd, type Maybe } from "../rubric/moments.ts";
import { adamwStep, clipByGlobalNorm, type AdamwState } from "./adamw.ts";
import { computeAdvantages } from "./advantages.ts";
import type { GrpoConfig } from "./config.ts";
import { stepMetrics } from "./metrics.ts";
import { lossMetrics, lossTokenMean, referenceLoss } from "./reference-loss.ts";
import { learningRateAt } from "./schedules.ts";

interface AdvantageCase {
  readonly name: string;
  readonly multi_objective_aggregation: "sum_then_normalize" | "normalize_then_sum";
  readonly scale_rewards: GrpoConfig["scale_rewards"];
  readonly num_generations: number;
  readonly weights: readonly number[];
  readonly rewards: readonly (readonly (number | null)[])[];
  readonly advantages: readonly number[];
  readonly logged: { readonly reward: number | null; readonly reward_std: number | null };
}
interface ScheduleCase extends Pick<GrpoConfig, "learning_rate" | "warmup_steps" | "max_steps"> {
  readonly name: string;
  readonly rates: readonly number[];
}
interface OptimizerFixture {
  readonly schedules: readonly ScheduleCase[];
  readonly adamw: readonly {
    readonly config: GrpoConfig;
    readonly start: readonly number[];
    readonly steps: readonly { gradient: readonly number[]; norm: number; parameters: readonly number[] }[];
  }[];
}

function expectClose(got: readonly number[], wanted: readonly number[], relative: number): void {
  expect(got).toHaveLength(wanted.length);
  wanted.forEach((value, index) => {
    expect(Math.abs((got[index] ?? NaN) - value)).toBeLessThanOrEqual(relative * Math.abs(value) + 1e-12);
  });
}

function expectNear(got: number | null, wanted: number | null): void {
  if (got === null || wanted === null) expect(got).toBe(wanted);
  else expectClose([got], [wanted], 1e-5);
}

function grouped<T>(rows: readonly T[], size: number): T[][] {
  return Array.from({ length: rows.length / size }, (_, p) => rows.slice(p * size, (p + 1) * size));
}

const advantageCases = (readFixture("trl-advantages.json") as { cases: AdvantageCase[] }).cases;
const optimizer = readFixture("trl-optimizer.json") as OptimizerFixture;

describe("advantages", () => {
  const sums = advantageCases.filter((entry) => entry.multi_objective_aggregation === "sum_then_normalize");
  it.each(sums.map((entry) => [`${entry.name}, ${entry.scale_rewards}`, entry] as const))(
    "%s",
    (_, entry) => {
      const totals = entry.rewards.map((row) => row[0] ?? null);
      const groups = computeAdvantages(grouped(totals, entry.num_generations), {
        scale_rewards: entry.scale_rewards,
        zero_spread_tolerance: 0,
      });
      expectClose(
        groups.flatMap((group) => group.advantages),
        entry.advantages,
        1e-5,
      );
    },
  );

  const products = advantageCases.filter(
    (entry) => entry.multi_objective_aggregation !== "sum_then_normalize",
  );
  it.each(products.map((entry) => [entry.name, entry] as const))("GDPO: %s", (_, entry) => {
    const criteria = makeCriteria(entry.weights, "A".repeat(entry.weights.length));
    const { advantages } = gdpoAdvantages(criteria, grouped(entry.rewards, entry.num_generations), 0);
    expectClose(advantages.flat(), entry.advantages, 1e-5);
  });

  it("come with the mean and spread that TRL logs", () => {
    for (const { rewards, logged } of sums) {
      const totals = rewards.map((row) => row[0] ?? null);
      expectNear(meanOf(totals), logged.reward);
      expectNear(sampleStd(totals), logged.reward_std);
    }
  });

  it("cover both aggregations", () => {
    expect([sums.length, products.length]).toEqual([15, 3]);
  });

  it("sum to 0 in each group, whatever is missing", () => {
    for (let index = 0; index < 100; index++) {
      const rng = caseRng("zero-sum", index);
      const rewards = Array.from({ length: 8 }, () => (rng.next() < 0.3 ? null : rng.next()));
      const [group] = computeAdvantages([rewards], { scale_rewards: "group", zero_spread_tolerance: 1e-6 });
      expect(group?.advantages.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 10);
      rewards.forEach((reward, i) => {
        if (reward === null) expect(group?.advantages[i]).toBe(0);
      });
    }
  });
});

/** TRL's nansum across reward functions; null where all are missing. */
function weightedTotal(row: readonly Maybe[]): Maybe {
  if (row.every((value) => value === null)) return null;
  return row.reduce<number>((sum, value, k) => sum + (value ?? 0) * (trlSteps.weights[k] ?? NaN), 0);
}

/** The step's groups as our own code scores them. */
function scoredGroups(step: TrlStep): ScoredGroup[] {
  const matrix = trlSteps.rewards[step.rewards] ?? [];
  const rewards = matrix.map((row) => ({
    total: weightedTotal(row),
    parts: Object.fromEntries(row.map((value, k) => [`f${k}`, value])),
  }));
  const groups = grouped(rewards, trlSteps.num_generations);
  const totals = groups.map((group) => group.map((reward) => reward.total));
  const relative = computeAdvantages(totals, { scale_rewards: step.scale_rewards, zero_spread_tolerance: 0 });
  const criteria = makeCriteria(trlSteps.weights, "A".repeat(trlSteps.weights.length));
  const direct = gdpoAdvantages(criteria, grouped(matrix, trlSteps.num_generations), 0);
  const bySum = step.aggregation === "sum_then_normalize";
  return groups.map((group, p) => ({
    rewards: group,
    advantages: (bySum ? relative[p]?.advantages : direct.advantages[p]) ?? [],
    rewardMean: meanOf(totals[p] ?? []),
    rewardStd: sampleStd(totals[p] ?? []),
    zeroSpread: (bySum ? relative[p]?.zeroSpread : direct.zeroSpread[p]) ?? true,
  }));
}

/** Our metrics of the step, by name. */
function metricsOf(step: TrlStep) {
  const given = trlSteps.rows[step.rows] ?? [];
  const rows = lossRowsOf(step);
  const result = referenceLoss(rows, step.config);
  return stepMetrics({
    criteria: [],
    groups: scoredGroups(step),
    judged: [],
    criterionSteps: [],
    completions: given.map((row) => ({ length: row.logProbs.length, ended: row.ended })),
    update: {
      ...result,
      gradNorm: NaN,
      entropy: lossTokenMean(
        rows,
        given.map((row) => row.entropies),
      ),
      samplingDifference: { mean: null, max: null },
    },
    learningRate: NaN,
    numTokens: given.reduce((sum, row) => sum + row.logProbs.length + 1, 0),
    stepTimeS: NaN,
  });
}

/** Metrics that stand beside TRL's as departures, named in metrics.ts, gdpo.ts and reference-loss.ts. */
function departs(name: string, step: TrlStep): boolean {
  const gdpo = step.aggregation === "normalize_then_sum";
  if (name === "frac_reward_zero_std") return gdpo || step.scale_rewards === "batch";
  const maskedOneToken = step.rows === "one token" && step.mask_truncated_completions;
  return maskedOneToken && (["kl", "entropy"].includes(name) || name.startsWith("clip_ratio/"));
}

describe("a whole step", () => {
  it.each(trlSteps.cases.map((step) => [step.name, step] as const))("%s", (_, step) => {
    const groups = scoredGroups(step);
    expectClose(
      groups.flatMap((group) => group.advantages),
      step.advantages,
      1e-5,
    );
    const result = referenceLoss(lossRowsOf(step), step.config);
    expectClose([result.loss], [step.loss], 1e-9);
    result.gradient.forEach((row, i) => {
      expectClose(row, step.gradient[i] ?? [], 1e-9);
    });
    expect(lossMetrics(lossRowsOf(step), step.config)).toEqual({
      kl: result.kl,
      clipRatio: result.clipRatio,
    });
    const metrics = metricsOf(step);
    for (const [name, value] of Object.entries(step.logged))
      if (!departs(name, step)) expectNear(metrics[name] ?? null, value);
    expect(metrics["kl"] === null).toBe(step.config.beta === 0);
  });

  it("meets every value of every option with every loss type, clips on both sides, and reaches 30 either way", () => {
    const options = new Map<string, Set<string>>();
    for (const { config, ...step } of trlSteps.cases) {
      const { loss_type, ...rest } = { ...config, ...step };
      for (const name of [
        "aggregation",
        "scale_rewards",
        "mask_truncated_completions",
        "rows",
        "rewards",
        "epsilon",
        "epsilon_high",
        "delta",
        "importance_sampling_level",
        "beta",
        "use_bias_correction_kl",
      ] as const) {
        const key = `${name} with ${loss_type}`;
        options.set(key, (options.get(key) ?? new Set()).add(String(rest[name])));
      }
    }
    const counts = [2, 3, 2, 4, 3, 2, 2, 3, 2, 2, 2];
    expect([...options.values()].map((values) => values.size)).toEqual([
      ...counts,
      ...counts,
      ...counts,
      ...counts,
    ]);
    for (const name of ["clip_ratio/low_mean", "clip_ratio/high_mean"])
      expect(trlSteps.cases.filter((step) => (step.logged[name] ?? 0) > 0).length).toBeGreaterThan(10);
    const extreme = trlSteps.rows["extreme"] ?? [];
    const ratios = extreme.flatMap((row) => row.logProbs.map((lp, t) => lp - (row.oldLogProbs[t] ?? NaN)));
    expect([Math.min(...ratios), Math.max(...ratios)]).toEqual([-30, 30]);
  });

  it("keeps truncated completions in their group's mean and spread, and out of the loss", () => {
    const [masked] = trlSteps.cases.filter((step) => step.mask_truncated_completions);
    const step = masked as TrlStep;
    const rows = lossRowsOf(step);
    const out = rows.flatMap((row, i) => (row.inLoss ? [] : [i]));
    expect(out).toEqual([1, 6]);
    const { gradient } = referenceLoss(rows, step.config);
    out.forEach((i) => {
      expect(step.advantages[i]).not.toBe(0);
      expect(gradient[i]?.every((value) => value === 0)).toBe(true);
    });
  });

  it("has the gradient of its own central differences", () => {
    const h = 1e-6;
    for (const step of trlSteps.cases.filter(({ rows }) => rows === "off-policy")) {
      const rows = lossRowsOf(step);
      const at = (delta: number) =>
        referenceLoss(
          rows.map((row, i) =>
            i === 5
              ? { ...row, logProbs: Array.from(row.logProbs, (lp, t) => (t === 2 ? lp + delta : lp)) }
              : row,
          ),
          step.config,
        );
      const slope = (at(h).loss - at(-h).loss) / (2 * h);
      expect(at(0).gradient[5]?.[2]).toBeCloseTo(slope, 6);
    }
  });

  it("takes an empty completion without a fault, and means over no token are missing", () => {
    const empty = { advantage: 1, logProbs: [], oldLogProbs: [], refLogProbs: [], inLoss: true };
    for (const step of trlSteps.cases.slice(0, 4)) {
      const { loss, clipRatio } = referenceLoss([empty], step.config);
      expect([loss, clipRatio.low]).toEqual([0, null]);
    }
    const masked = lossRowsOf(trlSteps.cases[0] as TrlStep).map((row) => ({ ...row, inLoss: false }));
    expect(referenceLoss(masked, { ...(trlSteps.cases[0] as TrlStep).config, beta: 0.1 }).kl).toBeNull();
  });
});

describe("the loss at its edges", () => {
  const { config } = trlSteps.cases[0] as TrlStep;
  const row = { advantage: 1, logProbs: [-1], oldLogProbs: [-1], refLogProbs: null, inLoss: true };

  it("reads no reference where beta is 0, and asks for one where it is not", () => {
    expect(referenceLoss([row], { ...config, beta: 0 }).kl).toBeNull();
    expect(() => referenceLoss([row], { ...config, beta: 0.1 })).toThrow("reference log-probabilities");
  });

  it("does not count a ratio on the very bound as clipped", () => {
    const bounds = { ...config, beta: 0, epsilon: 0, epsilon_high: 0, delta: null };
    const { clipRatio } = referenceLoss([row, { ...row, advantage: -1 }], bounds);
    expect(clipRatio).toEqual({ low: 0, high: 0, region: 0 });
  });
});

describe("learning rate", () => {
  it.each(
    optimizer.schedules.map((entry) => [`${entry.name}, warm-up ${entry.warmup_steps}`, entry] as const),
  )("%s", (_, entry) => {
    const type = entry.name.replace("_with_warmup", "") as GrpoConfig["lr_scheduler_type"];
    const rates = entry.rates.map((_rate, done) =>
      learningRateAt(done + 1, { ...entry, lr_scheduler_type: type }),
    );
    expectClose(rates, entry.rates, 1e-9);
  });
});

describe("20 steps of AdamW with schedule, warm-up, clip and decay", () => {
  it.each(
    optimizer.adamw.map(
      (entry) => [`${entry.config.lr_scheduler_type}, clip ${entry.config.max_grad_norm}`, entry] as const,
    ),
  )("%s", (_, { config, start, steps }) => {
    const zeros = start.map(() => 0);
    let state: AdamwState = { parameters: start, m: zeros, v: zeros, step: 0 };
    steps.forEach((step, done) => {
      const clipped = clipByGlobalNorm(step.gradient, config.max_grad_norm);
      expectClose([clipped.norm], [step.norm], 1e-9);
      const learningRate = learningRateAt(done + 1, config);
      state = adamwStep(state, clipped.gradient, { ...config, learningRate });
      expectClose(state.parameters, step.parameters, 1e-6);
    });
    expect(steps).toHaveLength(20);
  });

  it("adds epsilon to the root of v, and clip_grad_norm_'s 1e-6 to the norm", () => {
    const { config } = optimizer.adamw[0] as OptimizerFixture["adamw"][number];
    const start: AdamwState = { parameters: [0], m: [0], v: [0], step: 0 };
    const tiny = { ...config, adam_epsilon: 1e-8, weight_decay: 0, learningRate: 0.1 };
    // m and the root of v are both 1e-8 after bias correction
    expect(adamwStep(start, [1e-8], tiny).parameters[0]).toBeCloseTo(-0.05, 9);
    expect(clipByGlobalNorm([1e-6], 1e-6).gradient[0]).toBeCloseTo(5e-7, 12);
  });
});
