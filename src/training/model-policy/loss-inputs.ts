/**
 * The one place where the loss's options (`LossConfig`) become what its graph is built with and fed: settings and
 * per-token vectors. Both plans pass them on unread.
 */
import type { HostTensor } from "../../engine/graph/tensor.ts";
import type { LossConfig, TrainingGroup, TrainingRow } from "../policy.ts";
import type { PackedUpdate } from "./pack-update.ts";
import type { PlanLoss } from "./update-plan.ts";

/** The loss's weight of one token of each completion: TRL's normalisers over all `rows` of the update. */
export function tokenWeight(rows: readonly TrainingRow[], loss: LossConfig): (row: TrainingRow) => number {
  const tokens = rows.reduce((sum, row) => sum + row.tokens.length, 0);
  switch (loss.loss_type) {
    case "grpo":
      return (row) => 1 / (row.tokens.length * rows.length);
    case "bnpo":
    case "dapo":
      return () => 1 / tokens;
    case "dr_grpo":
      return () => 1 / (rows.length * loss.max_completion_length);
  }
}

/** Settings and feeds of `grpoTokenLoss` for one micro-batch; `weight` counts all rows of the update. */
export function lossInputs(
  packed: PackedUpdate,
  groups: readonly TrainingGroup[],
  loss: LossConfig,
  weight: (row: TrainingRow) => number,
): PlanLoss {
  const perToken = (value: (row: TrainingRow, t: number) => number): HostTensor =>
    packed.perToken((p, g, t) => {
      const row = groups[p]?.completions[g];
      return row ? value(row, t) : NaN;
    });
  return {
    settings: {
      epsilonLow: loss.epsilon,
      epsilonHigh: loss.epsilon_high ?? loss.epsilon,
      beta: loss.beta,
      biasCorrection: loss.use_bias_correction_kl,
    },
    feeds: {
      advantages: perToken((row) => row.advantage),
      oldLogProbs: perToken((row, t) => row.oldLogProbs[t] ?? NaN),
      weights: perToken(weight),
      ...(loss.beta > 0 ? { refLogProbs: perToken((row, t) => row.refLogProbs?.[t] ?? NaN) } : {}),
    },
  };
}
