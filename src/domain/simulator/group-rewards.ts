/**
 * The reward rules on plain numbers, for groups of yes-or-no verdicts with none missing: what the registry's rules give
 * for the same group (group-rewards.test.ts holds them to it), without an object a rollout. Weights, alpha and the shares
 * come from the rules themselves; here are only the sums over rollouts.
 */
import { STD_EPSILON } from "../grpo/advantages.ts";
import type { RewardRuleName } from "../run/spec.ts";

/** A group's verdicts with what the rules need to know of its rubric. */
export interface VerdictGroup {
  /** [G x C], rollout after rollout; 1 = met. */
  readonly verdicts: Uint8Array;
  /** [C]: verdicts that are met. */
  readonly met: Int32Array;
  /** [C] human weights, all above 0. */
  readonly weights: Float64Array;
  /** [C]: each criterion's share of the reward by the rule, its `pressure`. */
  readonly pressure: Float64Array;
}

/** Writes the group's rewards, [G]; for GDPO the sums that its advantages are made of. */
type GroupRewards = (group: VerdictGroup, rewards: Float64Array) => void;

/** Static, balanced and POW3R: with every verdict there, a rule's reward is the sum of its pressure on what is met. */
const bySumOfPressure: GroupRewards = ({ verdicts, pressure }, rewards) => {
  const count = pressure.length;
  for (let i = 0; i < rewards.length; i++) {
    let sum = 0;
    for (let j = 0; j < count; j++) sum += (pressure[j] as number) * (verdicts[i * count + j] as number);
    rewards[i] = sum;
  }
};

/** 1 if every criterion is met: the simulator marks none as required. */
const byAllMet: GroupRewards = ({ verdicts, weights }, rewards) => {
  const count = weights.length;
  for (let i = 0; i < rewards.length; i++) {
    let met = 0;
    for (let j = 0; j < count; j++) met += verdicts[i * count + j] as number;
    rewards[i] = met === count ? 1 : 0;
  }
};

/** sum_j w_j z_ij, z_ij = (s_ij - mean_j) / (std_j + 1e-4), std with n - 1. */
const bySumOfScores: GroupRewards = ({ verdicts, met, weights }, rewards) => {
  const size = rewards.length;
  const count = weights.length;
  rewards.fill(0);
  for (let j = 0; j < count; j++) {
    const mean = (met[j] as number) / size;
    const std = Math.sqrt((mean * (1 - mean) * size) / (size - 1));
    const scale = (weights[j] as number) / (std + STD_EPSILON);
    for (let i = 0; i < size; i++) {
      rewards[i] = (rewards[i] as number) + scale * ((verdicts[i * count + j] as number) - mean);
    }
  }
};

export const groupRewards = {
  pow3r: bySumOfPressure,
  "static-scalar": bySumOfPressure,
  "category-balanced": bySumOfPressure,
  gdpo: bySumOfScores,
  binary: byAllMet,
} satisfies Record<RewardRuleName, GroupRewards>;
