/**
 * What a step taught, as facts; the page puts them into a sentence. Where the reward's weight falls on flat criteria,
 * which criterion tells the rollouts apart most, and why a step without signal had none.
 */
import { balancedPressure } from "../reward/category-balanced.ts";
import { staticScalarPressure } from "../reward/static-scalar.ts";
import {
  contrastWeightedPressure,
  isMostlyNoise,
  pressureOverPrompts,
  shareOnState,
} from "../rubric/pressure.ts";
import type { Criterion } from "../rubric/schema.ts";
import type { ArmStep, CriterionState, CriterionStep } from "./records.ts";

/** Share of a reward on criteria in each state. */
export type StateShares = Readonly<Record<CriterionState, number>>;

/**
 * Why no group could teach: every answer was cut off and left the loss; nothing was judged; one answer at most could be
 * scored in each group; every answer got the same verdict on every criterion; or verdicts differed and the rewards were
 * equal all the same.
 */
export type NoSignalReason =
  "all-truncated" | "not-judged" | "one-scored" | "verdicts-equal" | "rewards-equal";

export interface StepFacts {
  readonly arm: string;
  readonly step: number;
  /** Criteria that the arm's reward counted, in each state. */
  readonly counts: Readonly<Record<CriterionState, number>>;
  /** By the static human weights. */
  readonly staticShares: StateShares;
  /** By the human weights within balanced categories. */
  readonly balancedShares: StateShares;
  /** By the arm's own rule, with the alpha of this step. */
  readonly ownShares: StateShares;
  /** The criterion with the largest pressure times contrast, judge errors aside; null when no other verdicts differed. */
  readonly teachesMost: string | null;
  /** The criterion ahead of it whose contrast came from flipped verdicts, mostly or alone; null when there is none. */
  readonly misleadsMost: { readonly id: string; readonly passRateBeforeNoise: number | null } | null;
  /** Share of the groups that could not teach. */
  readonly zeroStdShare: number | null;
  /** null: there was a signal. */
  readonly noSignal: NoSignalReason | null;
}

/** @param criteria the rubric version that the step used */
export function stepFacts(step: ArmStep, criteria: readonly Criterion[]): StepFacts {
  const counted = step.criteria.filter((criterion) => criterion.pressure > 0);
  const shares = (rule: (of: readonly Criterion[]) => number[]): StateShares =>
    sharesOf(step, pressureOverPrompts(rule, criteria, step.promptIds) ?? []);
  const count = (state: CriterionState): number => counted.filter((entry) => entry.state === state).length;
  return {
    arm: step.arm,
    step: step.step,
    counts: byState(count),
    staticShares: shares(staticScalarPressure),
    balancedShares: shares((of) => balancedPressure(of, [])),
    ownShares: sharesOf(step, null),
    ...strongest(step),
    zeroStdShare: step.metrics["frac_reward_zero_std"] ?? null,
    noSignal: step.zeroSignal ? noSignalReason(step) : null,
  };
}

function byState(value: (state: CriterionState) => number): Record<CriterionState, number> {
  return {
    dead: value("dead"),
    saturated: value("saturated"),
    learning: value("learning"),
    unseen: value("unseen"),
  };
}

/** @param pressure in the rubric's order; null = the step's own */
function sharesOf(step: ArmStep, pressure: readonly number[] | null): StateShares {
  const criteria = step.criteria.map((criterion, index) => ({
    state: criterion.state,
    pressure: pressure === null ? criterion.pressure : (pressure[index] ?? 0),
  }));
  return byState((state) => shareOnState(criteria, state));
}

function strongest({ criteria }: ArmStep): Pick<StepFacts, "teachesMost" | "misleadsMost"> {
  const contrast = contrastWeightedPressure(
    criteria.map((criterion) => criterion.pressure),
    criteria.map((criterion) => criterion.variance),
  );
  const ranked = criteria
    .map((criterion, index) => ({ criterion, contrast: contrast[index] ?? 0 }))
    .filter((entry) => entry.contrast > 0)
    .sort((a, b) => b.contrast - a.contrast)
    .map((entry) => entry.criterion);
  const isNoise = ({ variance, passRateBeforeNoise }: CriterionStep): boolean =>
    isMostlyNoise(variance, passRateBeforeNoise);
  const [first] = ranked;
  return {
    teachesMost: ranked.find((criterion) => !isNoise(criterion))?.id ?? null,
    misleadsMost:
      first !== undefined && isNoise(first)
        ? { id: first.id, passRateBeforeNoise: first.passRateBeforeNoise }
        : null,
  };
}

function noSignalReason(step: ArmStep): NoSignalReason {
  if (step.metrics["entropy"] === null) return "all-truncated"; // a mean over the tokens in the loss
  if ((step.metrics["reward"] ?? null) === null) return "not-judged";
  if ((step.metrics["groups/reward_std"] ?? null) === null) return "one-scored";
  const differ = step.criteria.some((criterion) => criterion.pressure > 0 && (criterion.variance ?? 0) > 0);
  return differ ? "rewards-equal" : "verdicts-equal";
}
