/**
 * GDPO, TRL's `multi_objective_aggregation: normalize_then_sum`: each criterion is normalised within its group, the
 * z-scores are summed by weight, and the sums are normalised over the batch. It gives advantages, not a reward.
 *
 * 1. `scale_rewards` plays no part, as in TRL 1.16.
 * 2. The reward shown beside it is the static-scalar mean (TRL logs the undivided sum), so arms share one scale [ours].
 * 3. Zero spread is counted per group [ours]; TRL counts the spread of the whole batch.
 */
import { STD_EPSILON } from "../grpo/advantages.ts";
import { isRewarded } from "../rubric/criteria.ts";
import { columnOf, meanOf, sampleStd, type Maybe } from "../rubric/moments.ts";
import type { Criterion } from "../rubric/schema.ts";
import type { VerdictMatrix } from "../rubric/verdicts.ts";
import type { DirectAdvantages, RewardRuleDef } from "./reward.ts";
import { staticScalarPressure, staticScalarReward } from "./static-scalar.ts";

/** sum_j w_j z_ij of each rollout of a group; a missing verdict adds 0, a row without any verdict is missing. */
function weightedScores(criteria: readonly Criterion[], group: VerdictMatrix): Maybe[] {
  const sums: Maybe[] = group.map(() => null);
  criteria.forEach((criterion, j) => {
    if (!isRewarded(criterion)) return;
    const column = columnOf(group, j);
    const mean = meanOf(column);
    const std = sampleStd(column);
    column.forEach((verdict, i) => {
      if (verdict === null || mean === null) return;
      const z = std === null ? 0 : (verdict - mean) / (std + STD_EPSILON);
      sums[i] = (sums[i] ?? 0) + criterion.weight * z;
    });
  });
  return sums;
}

/** The advantages of a step's groups, normalised over all of them together. */
export function gdpoAdvantages(
  criteria: readonly Criterion[],
  groups: readonly VerdictMatrix[],
  zeroSpreadTolerance: number,
): DirectAdvantages {
  const scores = groups.map((group) => weightedScores(criteria, group));
  const all = scores.flat();
  const mean = meanOf(all);
  const std = sampleStd(all);
  const flat = std === null || mean === null || std <= zeroSpreadTolerance;
  const zeroSpread = scores.map((group) => (sampleStd(group) ?? Infinity) <= zeroSpreadTolerance);
  const advantages = scores.map((group) =>
    group.map((score) => (flat || score === null ? 0 : (score - mean) / (std + STD_EPSILON))),
  );
  return { advantages, zeroSpread };
}

export const gdpoRule: RewardRuleDef = {
  title: "GDPO",
  explanation:
    "Each criterion is compared within the group on its own scale first; only then are they summed by weight.",
  formula: "A = norm_batch(Σ_j w_j z_j),  z_j = (s_j − mean_group s_j) / (std_group s_j + 1e-4)",
  learnsAlpha: false,
  reward: staticScalarReward,
  advantages: gdpoAdvantages,
  pressure: staticScalarPressure,
};
