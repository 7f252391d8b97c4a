/**
 * The one place where the loss's options (`LossConfig`) become what its graph is built with and fed: settings and
 * per-token vectors. Both plans pass them on unread.
 */
import { float32, type HostTensor } from "../../engine/graph/tensor.ts";
import type { LossConfig, TrainingGroup, TrainingRow } from "../policy.ts";
import type { PackedUpdate } from "./pack-update.ts";
import type { PlanLoss } from "./update-plan.ts";

/**
 * Settings and feeds of `grpoTokenLoss` for one micro-batch.
 * @param weights the loss's weight of one token of each row: TRL's normalisers over all rows of the update
 */
export function lossInputs(
  packed: PackedUpdate,
  groups: readonly TrainingGroup[],
  loss: LossConfig,
  weights: ReadonlyMap<TrainingRow, number>,
): PlanLoss {
  const perToken = (value: (row: TrainingRow, t: number) => number): HostTensor =>
    packed.perToken((p, g, t) => {
      const row = groups[p]?.completions[g];
      return row ? value(row, t) : NaN;
    });
  const sequences = loss.importance_sampling_level === "sequence" ? sequenceRows(packed, groups) : null;
  return {
    settings: {
      epsilonLow: loss.epsilon,
      epsilonHigh: loss.epsilon_high ?? loss.epsilon,
      delta: loss.delta,
      beta: loss.beta,
      biasCorrection: loss.use_bias_correction_kl,
      sequences: sequences?.dims[0] ?? null,
    },
    feeds: {
      advantages: perToken((row) => row.advantage),
      oldLogProbs: perToken((row, t) => row.oldLogProbs[t] ?? NaN),
      weights: perToken((row) => weights.get(row) ?? NaN),
      ...(loss.beta > 0 ? { refLogProbs: perToken((row, t) => row.refLogProbs?.[t] ?? NaN) } : {}),
      ...(sequences ? { sequences } : {}),
    },
  };
}

/** [P*G, tokens]: 1 where a token is of a completion. */
function sequenceRows(packed: PackedUpdate, groups: readonly TrainingGroup[]): HostTensor {
  const { prompts: P, group: G, completionRows: Nc } = packed.shape;
  const tokens = P * G + Nc;
  const data = new Float32Array(P * G * tokens);
  groups.forEach(({ completions }, p) => {
    completions.forEach((row, g) => {
      row.tokens.forEach((_, t) => (data[(p * G + g) * tokens + packed.tokenIndex(p, g, t)] = 1));
    });
  });
  return float32([P * G, tokens], data);
}
