/**
 * How one micro-batch is run: the interface between the update's bookkeeping (update.ts) and the ways to compute it
 * (whole-plan.ts, layered-plan.ts). A plan knows no reward and no normaliser: the loss is a function of per-token
 * log-probabilities and of the inputs that `loss-inputs.ts` makes.
 */
import type { GrpoLossSettings } from "../../engine/nn/grpo-loss.ts";
import type { HostTensor } from "../../engine/graph/tensor.ts";
import type { PackedUpdate, PackRounding } from "./pack-update.ts";

export interface PlanBatch {
  readonly packed: PackedUpdate;
  /** The flat adapter. */
  readonly adapter: Float32Array;
  /** Logits are divided by it. */
  readonly temperature: number;
}

/** What `grpoTokenLoss` (engine/nn/grpo-loss.ts) is built with and fed. */
export interface PlanLoss {
  readonly settings: GrpoLossSettings;
  /** By input name. */
  readonly feeds: Readonly<Record<string, HostTensor>>;
}

export interface PlanScores {
  /** log p of every token, [P*G + Nc] in the packed order (`PackedUpdate.tokenIndex`). */
  readonly logProbs: Float32Array;
  /** Entropy of every next-token distribution in nats, [P + Nc] (`PackedUpdate.entropyIndex`). */
  readonly entropy: Float32Array;
}

export interface PlanGradient extends PlanScores {
  readonly loss: number;
  /** d loss / d adapter, of the adapter's length. */
  readonly gradient: Float32Array;
}

export interface UpdatePlan {
  /** How sizes are rounded up, so that few graphs are built. */
  readonly rounding: PackRounding;
  score(batch: PlanBatch): Promise<PlanScores>;
  /** log p of words after the last token but one of every completion, [P*G, W] row by row. */
  nextTokens(batch: PlanBatch, words: Int32Array): Promise<Float32Array>;
  gradient(batch: PlanBatch, loss: PlanLoss): Promise<PlanGradient>;
}
