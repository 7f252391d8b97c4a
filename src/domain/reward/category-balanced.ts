/**
 * Category-balanced reward: R = (1/K) sum_k (1/W_k) sum_{j in C_k} w_j s_j, W_k = sum_{C_k} w_j. Named in the POW3R
 * paper (arXiv 2605.20164); it is POW3R with every alpha at 1.
 */
import { rewardedByCategory } from "../rubric/criteria.ts";
import type { Criterion } from "../rubric/schema.ts";
import type { Reward, RewardInput, RewardRuleDef } from "./reward.ts";
import { balancedReward, humanWeights } from "./weighted-mean.ts";

export function categoryBalancedReward(input: RewardInput): Reward {
  return balancedReward(input, humanWeights(input));
}

/** w_j f_j / (K W~_k) for factors f on the human weights: every category holds 1/K whatever the factors are. */
export function balancedPressure(criteria: readonly Criterion[], factors: readonly number[]): number[] {
  const pressure = criteria.map(() => 0);
  const categories = rewardedByCategory(criteria);
  const weightOf = (index: number): number => (criteria[index]?.weight ?? 0) * (factors[index] ?? 1);
  for (const indices of categories.values()) {
    const mass = indices.reduce((sum, index) => sum + weightOf(index), 0);
    for (const index of indices) pressure[index] = weightOf(index) / (categories.size * mass);
  }
  return pressure;
}

export const categoryBalancedRule: RewardRuleDef = {
  title: "Category-balanced",
  explanation: "Each category counts the same; within it the human weights share the score and never change.",
  formula: "R = (1/K) Σ_k (1/W_k) Σ_{j∈k} w_j s_j,  W_k = Σ_{j∈k} w_j",
  learnsAlpha: false,
  reward: categoryBalancedReward,
  advantages: null,
  pressure: (criteria) => balancedPressure(criteria, []),
};
