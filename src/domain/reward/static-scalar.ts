/**
 * Static scalar reward: R = sum_j w_j s_j / sum_j w_j. The weighted sum is the POW3R paper's baseline
 * (arXiv 2605.20164); the divisor is [ours], so that rewards stay in [0, 1]. Also the yardstick on held-out prompts.
 */
import type { Criterion } from "../rubric/schema.ts";
import type { Reward, RewardInput, RewardRuleDef } from "./reward.ts";
import { categoryMeans, humanWeights, weightedMean } from "./weighted-mean.ts";

export function staticScalarReward(input: RewardInput): Reward {
  const weights = humanWeights(input);
  return {
    total: weightedMean(input.verdicts, weights, input.criteria.keys()),
    parts: categoryMeans(input, weights),
  };
}

/** w_j / sum w */
export function staticScalarPressure(criteria: readonly Criterion[]): number[] {
  const sum = criteria.reduce((total, criterion) => total + criterion.weight, 0);
  return criteria.map((criterion) => criterion.weight / sum);
}

export const staticScalarRule: RewardRuleDef = {
  title: "Static scalar",
  explanation:
    "The weighted share of criteria that an answer meets, with the human weights, all the way through.",
  formula: "R = Σ_j w_j s_j / Σ_j w_j",
  learnsAlpha: false,
  reward: staticScalarReward,
  advantages: null,
  pressure: staticScalarPressure,
};
