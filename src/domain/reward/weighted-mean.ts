/**
 * Weighted means over verdicts, with missing ones left out of numerator and divisor. The static, the balanced
 * and POW3R's reward differ only in how they combine these.
 */
import { rewardedByCategory } from "../rubric/criteria.ts";
import { meanOf, type Maybe } from "../rubric/moments.ts";
import type { Verdict } from "../rubric/verdicts.ts";
import type { Reward, RewardInput } from "./reward.ts";

/** sum w_j s_j / sum w_j over the named criteria that have a verdict; null when none has. */
export function weightedMean(
  verdicts: readonly Verdict[],
  weights: readonly number[],
  indices: Iterable<number>,
): Maybe {
  let sum = 0;
  let divisor = 0;
  for (const index of indices) {
    const verdict = verdicts[index] ?? null;
    if (verdict === null) continue;
    sum += (weights[index] ?? 0) * verdict;
    divisor += weights[index] ?? 0;
  }
  return divisor > 0 ? sum / divisor : null;
}

/** The weighted mean of each category. */
export function categoryMeans(input: RewardInput, weights: readonly number[]): Record<string, Maybe> {
  const categories = [...rewardedByCategory(input.criteria)];
  return Object.fromEntries(
    categories.map(([name, indices]) => [name, weightedMean(input.verdicts, weights, indices)]),
  );
}

/** (1/K) sum_k of the category means; K counts the categories that have a verdict. */
export function balancedReward(input: RewardInput, weights: readonly number[]): Reward {
  const parts = categoryMeans(input, weights);
  return { total: meanOf(Object.values(parts)), parts };
}

/** The plain human weights. */
export function humanWeights(input: Pick<RewardInput, "criteria">): number[] {
  return input.criteria.map((criterion) => criterion.weight);
}
