/**
 * Several seeds of several arms as one summary: mean and 95 % interval per evaluated step, differences to the baseline
 * paired by seed, and the first step at which an arm reaches the baseline's final score. Pure.
 */
import type { Evaluation, RunRow } from "../domain/run/records.ts";

/** The rows of one seed's run. */
export interface SeedRows {
  readonly seed: number;
  readonly rows: readonly RunRow[];
}

export const measures = ["score", "balancedScore", "learningPassRate", "strictCompletion"] as const;
export type Measure = (typeof measures)[number];

/** Mean over seeds with the half-width of its 95 % t-interval; null with fewer than two seeds. */
export interface Estimate {
  readonly mean: number | null;
  readonly halfWidth: number | null;
  readonly seeds: number;
}

export interface ArmSummary {
  readonly arm: string;
  /** One entry per evaluated step. */
  readonly curve: readonly ({ readonly step: number } & Readonly<Record<Measure, Estimate>>)[];
  /** Final value minus the baseline's of the same seed. */
  readonly ahead: Readonly<Record<Measure, Estimate & { readonly seedsAhead: number }>>;
  /** First evaluated step at or above the baseline's final score of the same seed: median over seeds; null = most never do. */
  readonly medianStepToBaseline: number | null;
  /** The same on the curves of means. */
  readonly meanCurveStepToBaseline: number | null;
}

export interface Summary {
  readonly baseline: string;
  readonly seeds: readonly number[];
  readonly steps: readonly number[];
  readonly arms: readonly ArmSummary[];
}

/** Seeds whose run is not finished are for the caller to leave out. */
export function summarise(runs: readonly SeedRows[], arms: readonly string[], baseline: string): Summary {
  const byArm = new Map(arms.map((arm) => [arm, runs.map(({ rows }) => evaluationsOf(rows, arm))]));
  const ofBaseline = byArm.get(baseline) ?? [];
  const steps = (ofBaseline[0] ?? []).map((evaluation) => evaluation.step);
  const goal = estimate(ofBaseline.map((run) => run.at(-1)?.score ?? null)).mean;
  return {
    baseline,
    seeds: runs.map(({ seed }) => seed),
    steps,
    arms: [...byArm].map(([arm, all]) => {
      const curve = steps.map((step, at) => ({ step, ...estimates(all.map((run) => run[at])) }));
      return {
        arm,
        curve,
        ahead: aheadOf(all, ofBaseline),
        medianStepToBaseline: medianStep(all, ofBaseline),
        meanCurveStepToBaseline:
          goal === null ? null : (curve.find(({ score }) => (score.mean ?? -1) >= goal)?.step ?? null),
      };
    }),
  };
}

function evaluationsOf(rows: readonly RunRow[], arm: string): Evaluation[] {
  return rows.filter((row): row is Evaluation => row.kind === "evaluation" && row.arm === arm);
}

function estimates(evaluations: readonly (Evaluation | undefined)[]): Record<Measure, Estimate> {
  return perMeasure((measure) => estimate(evaluations.map((evaluation) => evaluation?.[measure] ?? null)));
}

function perMeasure<T>(value: (measure: Measure) => T): Record<Measure, T> {
  return {
    score: value("score"),
    balancedScore: value("balancedScore"),
    learningPassRate: value("learningPassRate"),
    strictCompletion: value("strictCompletion"),
  };
}

function aheadOf(
  all: readonly (readonly Evaluation[])[],
  baseline: readonly (readonly Evaluation[])[],
): ArmSummary["ahead"] {
  return perMeasure((measure) => {
    const differences = all.map((run, seed) => {
      const [own, other] = [run.at(-1)?.[measure] ?? null, baseline[seed]?.at(-1)?.[measure] ?? null];
      return own === null || other === null ? null : own - other;
    });
    const seedsAhead = differences.filter((difference) => difference !== null && difference > 0).length;
    return { ...estimate(differences), seedsAhead };
  });
}

function medianStep(
  all: readonly (readonly Evaluation[])[],
  baseline: readonly (readonly Evaluation[])[],
): number | null {
  const steps = all.map((run, seed) => {
    const goal = baseline[seed]?.at(-1)?.score ?? null;
    const reached = goal === null ? undefined : run.find(({ score }) => score !== null && score >= goal);
    return reached?.step ?? Number.POSITIVE_INFINITY;
  });
  const median = medianOf(steps);
  return Number.isFinite(median) ? median : null;
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Two-sided 95 % points of Student's t for 1, 2, ... degrees of freedom; the normal's beyond. */
const STUDENT_T = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/** Mean and interval of what is there. */
export function estimate(values: readonly (number | null)[]): Estimate {
  const there = values.filter((value): value is number => value !== null);
  const n = there.length;
  if (n === 0) return { mean: null, halfWidth: null, seeds: 0 };
  const mean = there.reduce((sum, value) => sum + value, 0) / n;
  if (n === 1) return { mean, halfWidth: null, seeds: 1 };
  const variance = there.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  const halfWidth = (STUDENT_T[n - 2] ?? 1.96) * Math.sqrt(variance / n);
  return { mean, halfWidth, seeds: n };
}
