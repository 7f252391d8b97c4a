/**
 * POW3R's reward (arXiv 2605.20164): R = (1/K) sum_k (1/W~_k) sum_{j in C_k} w_j a_j s_j, W~_k = sum_{C_k} w_j a_j.
 * The divisor W~_k is the paper's "renormalisation within the category": a category's mass is 1/K for any alpha.
 * How alpha moves is pow3r-alpha.ts.
 */
import type { Criterion } from "../rubric/schema.ts";
import { balancedPressure } from "./category-balanced.ts";
import type { Reward, RewardInput, RewardRuleDef } from "./reward.ts";
import { balancedReward, humanWeights } from "./weighted-mean.ts";

export function pow3rReward(input: RewardInput): Reward {
  const weights = humanWeights(input).map((weight, index) => weight * (input.alpha[index] ?? 1));
  return balancedReward(input, weights);
}

/** w_j a_j / (K W~_k) */
export function pow3rPressure(criteria: readonly Criterion[], alpha: readonly number[]): number[] {
  return balancedPressure(criteria, alpha);
}

export const pow3rRule: RewardRuleDef = {
  title: "POW3R",
  explanation:
    "As category-balanced, but within a category the criteria on which the model's answers differ count more, step by step.",
  formula: "R = (1/K) Σ_k (1/W̃_k) Σ_{j∈k} w_j α_j s_j,  W̃_k = Σ_{j∈k} w_j α_j",
  learnsAlpha: true,
  reward: pow3rReward,
  advantages: null,
  pressure: pow3rPressure,
};
