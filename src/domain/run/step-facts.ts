/**
 * What a step taught, as facts; the page puts them into a sentence. Where the reward's weight falls on flat criteria,
 * which criterion tells the rollouts apart most, and why a step without signal had none.
 */
import { balancedPressure } from "../reward/category-balanced.ts";
import { staticScalarPressure } from "../reward/static-scalar.ts";
import { isRewarded } from "../rubric/criteria.ts";
import { contrastWeightedPressure, shareOnState } from "../rubric/pressure.ts";
import type { Criterion } from "../rubric/schema.ts";
import type { ArmStep, CriterionState } from "./records.ts";

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
  /** Rewarded criteria in each state. */
  readonly counts: Readonly<Record<CriterionState, number>>;
  /** By the static human weights. */
  readonly staticShares: StateShares;
  /** By the human weights within balanced categories. */
  readonly balancedShares: StateShares;
  /** By the arm's own rule, with the alpha of this step. */
  readonly ownShares: StateShares;
  /** The criterion with the largest pressure times contrast; null when no verdicts differed. */
  readonly teachesMost: string | null;
  /** Share of the groups that could not teach. */
  readonly zeroStdShare: number | null;
  /** null: there was a signal. */
  readonly noSignal: NoSignalReason | null;
}

/** @param criteria the rubric version that the step used */
export function stepFacts(step: ArmStep, criteria: readonly Criterion[]): StepFacts {
  const rewarded = new Set(criteria.filter(isRewarded).map((criterion) => criterion.id));
  const counted = step.criteria.filter((criterion) => rewarded.has(criterion.id));
  const count = (state: CriterionState): number => counted.filter((entry) => entry.state === state).length;
  return {
    arm: step.arm,
    step: step.step,
    counts: byState(count),
    staticShares: sharesOf(step, staticScalarPressure(criteria)),
    balancedShares: sharesOf(step, balancedPressure(criteria, [])),
    ownShares: sharesOf(step, null),
    teachesMost: teachesMost(step),
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

function teachesMost(step: ArmStep): string | null {
  const contrast = contrastWeightedPressure(
    step.criteria.map((criterion) => criterion.pressure),
    step.criteria.map((criterion) => criterion.variance),
  );
  const most = Math.max(0, ...contrast.map((value) => value ?? 0));
  return most === 0 ? null : (step.criteria[contrast.indexOf(most)]?.id ?? null);
}

function noSignalReason(step: ArmStep): NoSignalReason {
  if (step.metrics["entropy"] === null) return "all-truncated"; // a mean over the tokens in the loss
  if ((step.metrics["reward"] ?? null) === null) return "not-judged";
  if ((step.metrics["groups/reward_std"] ?? null) === null) return "one-scored";
  const differ = step.criteria.some((criterion) => criterion.pressure > 0 && (criterion.variance ?? 0) > 0);
  return differ ? "rewards-equal" : "verdicts-equal";
}
