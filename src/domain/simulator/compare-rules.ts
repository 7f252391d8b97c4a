/**
 * Reward rules side by side on the simulated policy, over seeds: curves with bands, and what each rule gains of static's
 * pace. Speed-up = goal step / (median first step that reaches the score static has at the goal step, of the same seed).
 */
import { meanInterval, medianSteps, quantileOf } from "../experiment/seed-statistics.ts";
import type { MapArm, MapEstimate } from "../experiment/map-data.ts";
import type { RewardRuleName } from "../run/spec.ts";
import type { SimulatorSettings } from "./settings.ts";
import { simulateArm, type ArmRun } from "./simulate-arm.ts";

/** The rule that the others are timed against. */
export const BASELINE = "static-scalar" satisfies RewardRuleName;

/** One seed's runs, in the order of the rules asked for. */
export interface SeedRuns {
  readonly baseline: ArmRun;
  readonly arms: readonly ArmRun[];
}

export function simulateSeed(
  settings: SimulatorSettings,
  rules: readonly RewardRuleName[],
  seed: number,
): SeedRuns {
  const baseline = simulateArm(settings, BASELINE, seed);
  return {
    baseline,
    arms: rules.map((rule) => (rule === BASELINE ? baseline : simulateArm(settings, rule, seed))),
  };
}

/** A curve over seeds, at the steps that are drawn: the middle and the middle half. */
export interface Band {
  readonly median: readonly number[];
  readonly low: readonly number[];
  readonly high: readonly number[];
}

export interface RuleSummary extends MapArm {
  /** Score minus the score before training, by seed: rubrics of different seeds start at different scores. */
  readonly gained: Band;
  /** NaN everywhere where no criterion is mixed. */
  readonly mixedPassRate: Band;
  /** Median over seeds of the mean alpha; NaN where there is no such criterion. */
  readonly flatAlpha: readonly number[];
  readonly mixedAlpha: readonly number[];
  /** Mean pass rate of the mixed criteria at the last step; null where there is none. */
  readonly finalMixed: MapEstimate | null;
}

export interface Comparison {
  readonly settings: SimulatorSettings;
  /** Seeds that it is over. */
  readonly seeds: number;
  /** Steps at which the curves are drawn. */
  readonly drawnSteps: readonly number[];
  readonly rules: readonly RuleSummary[];
}

/** Points of a curve; more would not be seen. */
const DRAWN_AT_MOST = 101;

/** Over at least one seed's runs of these rules. */
export function summariseRules(
  settings: SimulatorSettings,
  rules: readonly RewardRuleName[],
  runs: readonly SeedRuns[],
): Comparison {
  const drawnSteps = stepsToDraw(settings.steps);
  const summaries = rules.map((rule, at) => {
    const own = runs.flatMap(({ arms }) => arms[at] ?? []);
    return { ...armOutcome(settings, rule, own, runs), ...armCurves(own, drawnSteps) };
  });
  return { settings, seeds: runs.length, drawnSteps, rules: summaries };
}

/** All the settings' seeds: 1, 2, 3 ... */
export function compareRules(settings: SimulatorSettings, rules: readonly RewardRuleName[]): Comparison {
  const seeds = Array.from({ length: settings.seeds }, (_, index) => index + 1);
  return summariseRules(
    settings,
    rules,
    seeds.map((seed) => simulateSeed(settings, rules, seed)),
  );
}

function armOutcome(
  settings: SimulatorSettings,
  rule: RewardRuleName,
  own: readonly ArmRun[],
  runs: readonly SeedRuns[],
): MapArm {
  const steps = own.map(({ score }, seed) => {
    const goal = runs[seed]?.baseline.score[settings.goalStep] ?? Number.NaN;
    const reached = score.findIndex((value) => value >= goal);
    return reached < 0 ? Number.POSITIVE_INFINITY : reached;
  });
  const stepsToBaseline = medianSteps(steps);
  const { median } = stepsToBaseline;
  return {
    arm: rule,
    rule,
    finalScore: meanInterval(own.map(({ score }) => score.at(-1) ?? Number.NaN)),
    gain: meanInterval(own.map(({ score }) => (score.at(-1) ?? Number.NaN) - (score[0] ?? Number.NaN))),
    stepsToBaseline,
    // a goal that is met before training leaves no step to be faster by
    speedUp: median === null || median === 0 ? null : settings.goalStep / median,
  };
}

function armCurves(own: readonly ArmRun[], drawnSteps: readonly number[]): Omit<RuleSummary, keyof MapArm> {
  const quantileCurve = (value: (run: ArmRun, step: number) => number, q: number): number[] =>
    drawnSteps.map((step) =>
      quantileOf(
        own.map((run) => value(run, step)),
        q,
      ),
    );
  const band = (value: (run: ArmRun, step: number) => number): Band => ({
    median: quantileCurve(value, 0.5),
    low: quantileCurve(value, 0.25),
    high: quantileCurve(value, 0.75),
  });
  const mixed = own.map((run) => run.mixedPassRate.at(-1) ?? Number.NaN);
  return {
    gained: band((run, step) => (run.score[step] ?? Number.NaN) - (run.score[0] ?? Number.NaN)),
    mixedPassRate: band((run, step) => run.mixedPassRate[step] ?? Number.NaN),
    flatAlpha: quantileCurve((run, step) => run.flatAlpha[step] ?? Number.NaN, 0.5),
    mixedAlpha: quantileCurve((run, step) => run.mixedAlpha[step] ?? Number.NaN, 0.5),
    finalMixed: mixed.some(Number.isNaN) ? null : meanInterval(mixed),
  };
}

function stepsToDraw(steps: number): number[] {
  const count = Math.min(steps + 1, DRAWN_AT_MOST);
  return Array.from({ length: count }, (_, at) => Math.round((at * steps) / (count - 1)));
}
