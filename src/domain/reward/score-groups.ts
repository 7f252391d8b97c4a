/** From a step's verdicts to rewards and advantages, by any rule: what the trainer calls once per arm and step. */
import { computeAdvantages, type AdvantageConfig } from "../grpo/advantages.ts";
import { meanOf, sampleStd, type Maybe } from "../rubric/moments.ts";
import type { Criterion } from "../rubric/schema.ts";
import type { VerdictMatrix } from "../rubric/verdicts.ts";
import type { RewardRuleName } from "../run/spec.ts";
import { rewardRules } from "./registry.ts";
import type { Reward, RewardRuleDef } from "./reward.ts";

/** One prompt's verdicts with the alpha that earlier steps left for it, both in the rubric's order. */
export interface GroupToScore {
  readonly verdicts: VerdictMatrix;
  readonly alpha: readonly number[];
  /** As they count for this prompt, where some do not apply to it. */
  readonly criteria?: readonly Criterion[];
}

export interface ScoredGroup {
  /** [G] */
  readonly rewards: readonly Reward[];
  /** [G]; 0 where the reward is missing. */
  readonly advantages: readonly number[];
  readonly rewardMean: Maybe;
  /** With n - 1; null with fewer than two rewards. */
  readonly rewardStd: Maybe;
  /** The rollouts could not be told apart. */
  readonly zeroSpread: boolean;
}

/** [P] scored groups. */
export function scoreGroups(
  ruleName: RewardRuleName,
  criteria: readonly Criterion[],
  groups: readonly GroupToScore[],
  config: AdvantageConfig,
): ScoredGroup[] {
  const rule: RewardRuleDef = rewardRules[ruleName];
  const rewards = groups.map(({ verdicts, alpha, criteria: own = criteria }) =>
    verdicts.map((row) => rule.reward({ criteria: own, verdicts: row, alpha })),
  );
  const totals = rewards.map((group) => group.map((reward) => reward.total));
  const relative = computeAdvantages(totals, config);
  const matrices = groups.map((group) => group.verdicts);
  const direct = rule.advantages?.(criteria, matrices, config.zero_spread_tolerance) ?? null;
  return rewards.map((group, p) => ({
    rewards: group,
    advantages: (direct?.advantages ?? relative.map((entry) => entry.advantages))[p] ?? [],
    rewardMean: meanOf(totals[p] ?? []),
    rewardStd: sampleStd(totals[p] ?? []),
    zeroSpread: (direct?.zeroSpread ?? relative.map((entry) => entry.zeroSpread))[p] ?? true,
  }));
}
