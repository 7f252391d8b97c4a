/** Advantages, losses, gradients, rates and AdamW against what TRL, transformers and torch computed on the same numbers. */
import { describe, expect, it } from "vitest";
import { readFileSync } from "node:fs";
import { caseRng, makeCriteria } from "../../testing/criteria.ts";
import { gdpoAdvantages } from "../reward/gdpo.ts";
import { meanOf, sampleStd } from "../rubric/moments.ts";
import { adamwStep, clipByGlobalNorm, type AdamwConfig, type AdamwState } from "./adamw.ts";
import { computeAdvantages } from "./advantages.ts";
import type { GrpoConfig } from "./config.ts";
import { referenceLoss, type LossRow, type ReferenceLossConfig } from "./reference-loss.ts";
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
interface LossCase {
  readonly name: string;
  readonly rows: string;
  readonly config: ReferenceLossConfig;
  readonly loss: number;
  readonly gradient: readonly (readonly number[])[];
  readonly logged: Readonly<Record<string, number>>;
}
interface ScheduleCase extends Pick<GrpoConfig, "learning_rate" | "warmup_steps" | "max_steps"> {
  readonly name: string;
  readonly rates: readonly number[];
}
interface OptimizerFixture {
  readonly schedules: readonly ScheduleCase[];
  readonly adamw: {
    readonly config: AdamwConfig;
    readonly max_grad_norm: number;
    readonly start: readonly number[];
    readonly steps: readonly { gradient: readonly number[]; norm: number; parameters: readonly number[] }[];
  };
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../testing/fixtures/${name}`, import.meta.url), "utf8"));
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

const advantageCases = (read("trl-advantages.json") as { cases: AdvantageCase[] }).cases;
const losses = read("trl-losses.json") as { rows: Record<string, LossRow[]>; cases: LossCase[] };
const optimizer = read("trl-optimizer.json") as OptimizerFixture;

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

describe("loss", () => {
  it.each(losses.cases.map((entry) => [entry.name, entry] as const))("%s", (_, entry) => {
    const result = referenceLoss(losses.rows[entry.rows] ?? [], entry.config);
    expectClose([result.loss], [entry.loss], 1e-5);
    expectClose(result.gradient.flat(), entry.gradient.flat(), 1e-5);
    const { low, high, region } = result.clipRatio;
    const logged = ["low_mean", "high_mean", "region_mean"].map(
      (name) => entry.logged[`clip_ratio/${name}`] ?? NaN,
    );
    expectClose([low, high, region], logged, 1e-6);
    if (entry.config.beta === 0) expect(result.kl).toBeNull();
    else expectClose([result.kl ?? NaN], [entry.logged["kl"] ?? NaN], 1e-5);
  });

  it("covers the four loss types and clips on both sides", () => {
    expect(new Set(losses.cases.map((entry) => entry.config.loss_type)).size).toBe(4);
    const { clipRatio } = referenceLoss(
      losses.rows["off-policy"] ?? [],
      losses.cases[0]?.config as ReferenceLossConfig,
    );
    expect(clipRatio.low).toBeGreaterThan(0);
    expect(clipRatio.high).toBeGreaterThan(0);
  });

  it("has the gradient of its own central differences", () => {
    const rows = losses.rows["off-policy"] ?? [];
    const h = 1e-6;
    for (const { config } of losses.cases) {
      const at = (delta: number) =>
        referenceLoss(
          rows.map((row, i) =>
            i === 1 ? { ...row, logProbs: row.logProbs.map((lp, t) => (t === 2 ? lp + delta : lp)) } : row,
          ),
          config,
        );
      const slope = (at(h).loss - at(-h).loss) / (2 * h);
      expect(at(0).gradient[1]?.[2]).toBeCloseTo(slope, 6);
    }
  });

  it("takes an empty completion without a fault", () => {
    const empty = { advantage: 1, logProbs: [], oldLogProbs: [], refLogProbs: [] };
    const config = losses.cases[0]?.config as ReferenceLossConfig;
    expect(referenceLoss([empty], config).loss).toBe(0);
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

describe("AdamW with the global-norm clip", () => {
  it("follows torch", () => {
    const { adamw } = optimizer;
    const zeros = adamw.start.map(() => 0);
    let state: AdamwState = { parameters: adamw.start, m: zeros, v: zeros, step: 0 };
    for (const step of adamw.steps) {
      const clipped = clipByGlobalNorm(step.gradient, adamw.max_grad_norm);
      expectClose([clipped.norm], [step.norm], 1e-9);
      state = adamwStep(state, clipped.gradient, adamw.config);
      expectClose(state.parameters, step.parameters, 1e-6);
    }
  });
});
