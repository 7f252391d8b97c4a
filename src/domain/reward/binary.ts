/**
 * Binary reward: 1 if every required criterion passes (s = 1), else 0. methods.md section 1, arm "binary":
 * named in the POW3R paper (arXiv 2605.20164), formula [ours].
 *
 * 1. None marked required: all rewarded criteria count.
 * 2. A required verdict is missing: the reward is missing.
 */
import { mustPass } from "../rubric/criteria.ts";
import type { Criterion } from "../rubric/schema.ts";
import { strictlyComplete } from "../rubric/strict-completion.ts";
import type { Reward, RewardInput, RewardRuleDef } from "./reward.ts";

/** The parts say per category whether its deciding criteria all pass; categories without one have no part. */
export function binaryReward({ criteria, verdicts }: RewardInput): Reward {
  const deciding = mustPass(criteria);
  const categories = new Set(deciding.map((index) => criteria[index]?.category ?? ""));
  const parts = [...categories].map((name) => {
    const own = deciding.filter((index) => criteria[index]?.category === name);
    const values = own.map((index) => verdicts[index] ?? null);
    const part = values.includes(null) ? null : values.every((verdict) => verdict === 1) ? 1 : 0;
    return [name, part] as const;
  });
  return { total: strictlyComplete(criteria, verdicts), parts: Object.fromEntries(parts) };
}

/** [ours] Each deciding criterion can undo the reward alone, so they share it equally. */
export function binaryPressure(criteria: readonly Criterion[]): number[] {
  const deciding = new Set(mustPass(criteria));
  return criteria.map((_, index) => (deciding.has(index) ? 1 / deciding.size : 0));
}

export const binaryRule: RewardRuleDef = {
  title: "Binary",
  explanation:
    "An answer earns 1 when it meets every required criterion and 0 otherwise; weights play no part.",
  formula: "R = 1 if s_j = 1 for every required j, else 0",
  learnsAlpha: false,
  reward: binaryReward,
  advantages: null,
  pressure: binaryPressure,
};
