/** A trained group as the inspector shows it: text, tokens with log-probabilities, verdicts, reward parts, advantages. */
import type { Criterion } from "../domain/rubric/schema.ts";
import type { RolloutGroup } from "../domain/run/records.ts";
import type { TextCodec } from "./policy.ts";
import { promptFacts } from "./rollout.ts";
import type { TrainedGroup } from "./scoring.ts";

export interface GroupPlacement {
  readonly arm: string;
  readonly step: number;
  readonly criteria: readonly Criterion[];
}

export function rolloutGroup(codec: TextCodec, group: TrainedGroup, placement: GroupPlacement): RolloutGroup {
  const { sampled, judged, scored } = group;
  return {
    arm: placement.arm,
    step: placement.step,
    promptId: sampled.prompt.id,
    promptText: promptFacts(sampled.prompt).text,
    criterionIds: placement.criteria.map((criterion) => criterion.id),
    rewardMean: scored.rewardMean,
    rewardStd: scored.rewardStd,
    rollouts: sampled.completions.map((completion, i) => ({
      text: sampled.answers[i]?.text ?? "",
      ended: completion.ended,
      tokens: codec.decodePieces(completion.tokens).map((text, t) => ({
        text,
        logProb: completion.logProbs[t] ?? Number.NaN,
        logProbAfter: null,
      })),
      verdicts: group.verdicts[i] ?? [],
      verdictsBeforeNoise: judged.verdicts[i] ?? [],
      reasons: judged.reasons[i] ?? [],
      reward: scored.rewards[i]?.total ?? null,
      parts: scored.rewards[i]?.parts ?? {},
      advantage: scored.advantages[i] ?? 0,
    })),
  };
}

/** The group with the log p of each token after the update, [G][T_i], filled in. */
export function withLogProbsAfter(group: RolloutGroup, after: readonly Float32Array[]): RolloutGroup {
  const rollouts = group.rollouts.map((rollout, i) => ({
    ...rollout,
    tokens: rollout.tokens.map((token, t) => ({ ...token, logProbAfter: after[i]?.[t] ?? null })),
  }));
  return { ...group, rollouts };
}
