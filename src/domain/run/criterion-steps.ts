/** What one step says about each criterion: the rows of the rubric table and of the charts per criterion. */
import { rewardRules } from "../reward/registry.ts";
import type { RewardRuleDef } from "../reward/reward.ts";
import { isRewarded } from "../rubric/criteria.ts";
import { flagOf, type FlagWindow } from "../rubric/flags.ts";
import { columnOf, meanOf, populationVariance, present } from "../rubric/moments.ts";
import { meanPressure } from "../rubric/pressure.ts";
import type { Criterion } from "../rubric/schema.ts";
import type { VerdictMatrix } from "../rubric/verdicts.ts";
import type { CriterionStep } from "./records.ts";
import type { RewardRuleName } from "./spec.ts";

/** One prompt's group in a step. */
export interface JudgedStepGroup {
  /** As they count for this prompt (`criteriaFor`), in the rubric's order. */
  readonly criteria: readonly Criterion[];
  /** As trained on, with judge noise. */
  readonly verdicts: VerdictMatrix;
  readonly verdictsBeforeNoise: VerdictMatrix;
  /** Alpha the group was scored with; 1 for rules without alpha. */
  readonly alpha: readonly number[];
}

export interface CriterionStepsInput {
  readonly rule: RewardRuleName;
  readonly criteria: readonly Criterion[];
  readonly groups: readonly JudgedStepGroup[];
  /** The window with this step's groups already in it. */
  readonly flags: FlagWindow;
  readonly judgeNoise: number;
}

/**
 * In the rubric's order. Alpha is the mean over the step's groups whose prompt the criterion counts for (over all where it
 * counts for none), pressure the mean over the groups of its share of the group's reward.
 */
export function criterionSteps(input: CriterionStepsInput): CriterionStep[] {
  const { criteria, groups } = input;
  const rule: RewardRuleDef = rewardRules[input.rule];
  const alpha = criteria.map((_, index) => meanAlpha(groups, index));
  const verdicts = criteria.map((_, index) => groups.map((group) => columnOf(group.verdicts, index)));
  const judged = verdicts.map((columns) => present(columns.flat()).length);
  const pressure = meanPressure(groups.map((group) => pressureOfJudged(rule, group)));
  return criteria.map((criterion, index) => {
    const columns = verdicts[index] ?? [];
    const before = groups.flatMap((group) => columnOf(group.verdictsBeforeNoise, index));
    return {
      id: criterion.id,
      passRate: meanOf(columns.flat()),
      passRateBeforeNoise: meanOf(before),
      variance: meanOf(columns.map(populationVariance)),
      alpha: alpha[index] ?? 1,
      pressure: pressure?.[index] ?? 0,
      ...flagOf(input.flags, criterion, input.judgeNoise),
      judged: judged[index] ?? 0,
    };
  });
}

function meanAlpha(groups: readonly JudgedStepGroup[], index: number): number {
  const own = groups.filter(({ criteria }) => criteria[index] !== undefined && isRewarded(criteria[index]));
  return meanOf((own.length > 0 ? own : groups).map((group) => group.alpha[index] ?? 1)) ?? 1;
}

/** Missing verdicts leave a criterion out of the sums, so one that nobody judged has no share of them; null: no share at all. */
function pressureOfJudged(
  rule: RewardRuleDef,
  { criteria, verdicts, alpha }: JudgedStepGroup,
): number[] | null {
  const counted = criteria.map((each, index) =>
    present(columnOf(verdicts, index)).length === 0 ? { ...each, weight: 0 } : each,
  );
  return counted.some(isRewarded) ? rule.pressure(counted, alpha) : null;
}
