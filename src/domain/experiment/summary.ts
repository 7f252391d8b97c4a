/**
 * Several seeds of several arms as one summary: mean and 95 % interval per evaluated step, what was gained, differences to the
 * baseline paired by seed, the steps an arm takes to the baseline's final score, and what the steps logged. Pure; the
 * command line and the page show the same.
 *
 * Steps to a goal count to the first *evaluated* step at or above it, nothing in between: the truth is at most one
 * evaluation earlier, for every arm alike. A seed that never gets there counts as "never", not as the last step.
 */
import type { ArmStep, Evaluation, RunRow } from "../run/records.ts";
import type { StepsToBaseline } from "./map-data.ts";
import { meanInterval, medianSteps } from "./seed-statistics.ts";

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

/** Means over a run's steps of what each of them logged. */
export interface Logged {
  /** Standard deviation of the reward within a group (over the step's rollouts). */
  readonly rewardSpread: Estimate;
  /** Before clipping. */
  readonly gradNorm: Estimate;
  /** Share of the reward on criteria flagged learning. */
  readonly teachingShare: Estimate;
  /** Share of groups whose rollouts could not be told apart. */
  readonly zeroSpreadShare: Estimate;
}

export interface ArmSummary {
  readonly arm: string;
  /** One entry per evaluated step. */
  readonly curve: readonly ({ readonly step: number } & Readonly<Record<Measure, Estimate>>)[];
  /** Final value minus that before training, by seed: what stands beside every speed-up. */
  readonly gain: Readonly<Record<Measure, Estimate>>;
  /** Final value minus the baseline's of the same seed. */
  readonly ahead: Readonly<Record<Measure, Estimate & { readonly seedsAhead: number }>>;
  readonly stepsToGoal: StepsToBaseline;
  /** Steps of the baseline over those of the arm, medians; null where most seeds of either never get there. */
  readonly speedUp: number | null;
  /** Steps to the goal on the curves of means; null: never. */
  readonly meanCurveStepToGoal: number | null;
  readonly logged: Logged;
}

export interface Summary {
  readonly baseline: string;
  /** A score that is the same for every seed; null: the baseline's final score of the same seed. */
  readonly target: number | null;
  readonly seeds: readonly number[];
  readonly steps: readonly number[];
  /** The policy before training. */
  readonly base: Readonly<Record<Measure, Estimate>>;
  readonly arms: readonly ArmSummary[];
}

export interface Comparison {
  /** In the order of the tables. */
  readonly arms: readonly string[];
  readonly baseline: string;
  readonly target?: number | undefined;
}

/** [seeds][evaluated steps] */
type Curves = readonly (readonly Evaluation[])[];

/** Seeds whose run is not finished are for the caller to leave out. */
export function summarise(runs: readonly SeedRows[], { arms, baseline, target }: Comparison): Summary {
  const curvesOf = (arm: string): Curves => runs.map(({ rows }) => evaluationsOf(rows, arm));
  const ofBaseline = curvesOf(baseline);
  const goals = ofBaseline.map((run) => target ?? run.at(-1)?.score ?? null);
  const steps = (ofBaseline[0] ?? []).map((evaluation) => evaluation.step);
  // the baseline's own pace: with its final score as goal, it is timed by the end of the run
  const pace = target === undefined ? (steps.at(-1) ?? null) : stepsToGoals(ofBaseline, goals).median;
  return {
    baseline,
    target: target ?? null,
    seeds: runs.map(({ seed }) => seed),
    steps,
    base: perMeasure((measure) => estimate(ofBaseline.map((run) => run[0]?.[measure] ?? null))),
    arms: arms.map((arm) => {
      const all = curvesOf(arm);
      const curve = steps.map((step, at) => ({
        step,
        ...perMeasure((measure) => estimate(all.map((run) => run[at]?.[measure] ?? null))),
      }));
      const stepsToGoal = stepsToGoals(all, goals);
      return {
        arm,
        curve,
        gain: perMeasure((measure) => estimate(all.map((run) => minus(run.at(-1), run[0], measure)))),
        ahead: aheadOf(all, ofBaseline),
        stepsToGoal,
        speedUp: ratio(pace, stepsToGoal.median),
        meanCurveStepToGoal: firstAtOrAbove(curve, estimate(goals).mean),
        logged: loggedOf(runs, arm),
      };
    }),
  };
}

function evaluationsOf(rows: readonly RunRow[], arm: string): Evaluation[] {
  return rows.filter((row): row is Evaluation => row.kind === "evaluation" && row.arm === arm);
}

function perMeasure<T>(value: (measure: Measure) => T): Record<Measure, T> {
  return {
    score: value("score"),
    balancedScore: value("balancedScore"),
    learningPassRate: value("learningPassRate"),
    strictCompletion: value("strictCompletion"),
  };
}

function minus(one: Evaluation | undefined, other: Evaluation | undefined, measure: Measure): number | null {
  const [own, from] = [one?.[measure] ?? null, other?.[measure] ?? null];
  return own === null || from === null ? null : own - from;
}

function aheadOf(all: Curves, baseline: Curves): ArmSummary["ahead"] {
  return perMeasure((measure) => {
    const differences = all.map((run, seed) => minus(run.at(-1), baseline[seed]?.at(-1), measure));
    const seedsAhead = differences.filter((difference) => difference !== null && difference > 0).length;
    return { ...estimate(differences), seedsAhead };
  });
}

/** Over the seeds that have a goal. */
function stepsToGoals(all: Curves, goals: readonly (number | null)[]): StepsToBaseline {
  const steps = all.flatMap((run, seed) => {
    const goal = goals[seed] ?? null;
    if (goal === null) return [];
    return run.find(({ score }) => score !== null && score >= goal)?.step ?? Number.POSITIVE_INFINITY;
  });
  return medianSteps(steps);
}

function firstAtOrAbove(curve: ArmSummary["curve"], goal: number | null): number | null {
  if (goal === null) return null;
  return curve.find(({ score }) => score.mean !== null && score.mean >= goal)?.step ?? null;
}

/** null also where the goal was met before training: no number of steps is faster than none. */
function ratio(pace: number | null, median: number | null): number | null {
  return pace === null || median === null || median === 0 ? null : pace / median;
}

function loggedOf(runs: readonly SeedRows[], arm: string): Logged {
  const over = (value: (step: ArmStep) => number | null | undefined): Estimate =>
    estimate(
      runs.map(({ rows }) => {
        const steps = rows.filter((row): row is ArmStep => row.kind === "step" && row.arm === arm);
        return estimate(steps.map((step) => value(step) ?? null)).mean;
      }),
    );
  return {
    rewardSpread: over((step) => step.metrics["reward_std"]),
    gradNorm: over((step) => step.metrics["grad_norm"]),
    teachingShare: over((step) => step.teachingShare),
    zeroSpreadShare: over((step) => step.metrics["frac_reward_zero_std"]),
  };
}

/** Mean and interval of what is there. */
export function estimate(values: readonly (number | null)[]): Estimate {
  const there = values.filter((value) => value !== null);
  if (there.length === 0) return { mean: null, halfWidth: null, seeds: 0 };
  const { mean, high } = meanInterval(there);
  return { mean, halfWidth: high === null ? null : high - mean, seeds: there.length };
}

/** A row of a table in the form of the paper's. */
export interface PaperRow {
  /** null: the base model. */
  readonly arm: string | null;
  readonly score: Estimate;
  readonly strictCompletion: Estimate;
}

/** The base model first, then each arm at the end. */
export function paperRows({ base, arms }: Summary): PaperRow[] {
  const ends = arms.flatMap(({ arm, curve }) => {
    const end = curve.at(-1);
    return end === undefined ? [] : [{ arm, score: end.score, strictCompletion: end.strictCompletion }];
  });
  return [{ arm: null, score: base.score, strictCompletion: base.strictCompletion }, ...ends];
}

/** One evaluation as a point of the paper's dominance picture: rubric score against strict completion. */
export interface ScorePair {
  readonly arm: string;
  readonly seed: number;
  readonly step: number;
  readonly score: number;
  readonly strictCompletion: number;
}

/** Every evaluation that has both numbers, in the rows' order. */
export function scorePairs(runs: readonly SeedRows[]): ScorePair[] {
  return runs.flatMap(({ seed, rows }) =>
    rows.flatMap((row) => {
      if (row.kind !== "evaluation") return [];
      const { arm, step, score, strictCompletion } = row;
      return score === null || strictCompletion === null
        ? []
        : [{ arm, seed, step, score, strictCompletion }];
    }),
  );
}
