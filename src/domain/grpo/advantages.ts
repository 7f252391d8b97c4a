/**
 * Group-relative advantages, TRL 1.16's `sum_then_normalize`: A = (r - group mean) / (std + 1e-4), std with n - 1.
 * A missing reward is outside mean and std and gets A = 0; so does a group with one scorable row.
 *
 * 1. `zero_spread_tolerance` [ours]: equal rewards summed in another order differ in the last digits, and TRL turns
 *    that into advantages near 1e-3; a spread within the tolerance counts as none. 0 gives TRL's numbers.
 * 2. Zero spread is counted per group, also where `scale_rewards` is "batch" (TRL counts the batch's spread there).
 */
import { meanOf, sampleStd, type Maybe } from "../rubric/moments.ts";
import type { GrpoConfig } from "./config.ts";

/** What TRL adds to every standard deviation that it divides by. */
export const STD_EPSILON = 1e-4;

export type AdvantageConfig = Pick<GrpoConfig, "scale_rewards" | "zero_spread_tolerance">;

export interface GroupAdvantages {
  /** [G]; 0 for a missing reward. */
  readonly advantages: readonly number[];
  /** Over the rewards that are there; null when none is. */
  readonly mean: Maybe;
  /** With n - 1; null with fewer than two rewards. */
  readonly std: Maybe;
  /** The group's rewards are all the same: nothing to compare. */
  readonly zeroSpread: boolean;
}

/** One entry per group of [P][G] rewards. */
export function computeAdvantages(
  groups: readonly (readonly Maybe[])[],
  config: AdvantageConfig,
): GroupAdvantages[] {
  const batchStd = sampleStd(groups.flat());
  return groups.map((rewards) => {
    const mean = meanOf(rewards);
    const std = sampleStd(rewards);
    const zeroSpread = std !== null && std <= config.zero_spread_tolerance;
    const scale = divisorOf(config, std, batchStd);
    const advantages = rewards.map((reward) =>
      reward === null || mean === null || std === null || zeroSpread ? 0 : (reward - mean) / scale,
    );
    return { advantages, mean, std, zeroSpread };
  });
}

function divisorOf(config: AdvantageConfig, groupStd: Maybe, batchStd: Maybe): number {
  switch (config.scale_rewards) {
    case "group":
      return (groupStd ?? 0) + STD_EPSILON;
    case "batch":
      return (batchStd ?? 0) + STD_EPSILON;
    case "none":
      return 1;
  }
}
