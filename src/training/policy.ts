/**
 * What the trainer asks of a language model with adapters: sample, differentiate, score. The engine behind it
 * (sessions, buckets of shapes, buffers) is nobody else's business; tests may put a fake here.
 */
import type { GrpoConfig } from "../domain/grpo/config.ts";
import type { ReferenceLossConfig } from "../domain/grpo/reference-loss.ts";
import type { ClipRatio } from "../domain/grpo/reference-loss.ts";

/** Token ids of one prompt, chat template applied. */
export type PromptTokens = Int32Array;

export interface Completion {
  /** Sampled ids; an end token, where one came, is the last and is part of it. */
  readonly tokens: Int32Array;
  /** log p of each token at the sampling temperature, untruncated. */
  readonly logProbs: Float32Array;
  /** True when the last token is an end token. */
  readonly ended: boolean;
}

export interface RolloutRequest {
  readonly prompts: readonly PromptTokens[];
  /** G completions of every prompt. */
  readonly groupSize: number;
  readonly maxTokens: number;
  /** 0 = greedy. */
  readonly temperature: number;
  /** 0 = off. */
  readonly topK: number;
  /** 1 = off. */
  readonly topP: number;
  /** Uniforms in [0, 1): one stream, so that runs repeat. */
  readonly uniform: () => number;
  /** null = the base model. */
  readonly adapter: Float32Array | null;
  readonly signal?: AbortSignal;
  /** Called after each chunk of decoding with tokens sampled so far. */
  readonly onProgress?: (tokens: number) => void;
  /** Tokens of a row in a chunk of decoding; absent = as suits the engine. No number depends on it. */
  readonly chunkTokens?: number;
  /** Called after each chunk with the tokens of every row of the prompt at hand. */
  readonly onTokens?: (rows: readonly Int32Array[]) => void;
}

/** One prompt with its completions and what the loss needs about them. */
export interface TrainingGroup {
  readonly prompt: PromptTokens;
  readonly completions: readonly TrainingRow[];
}

export interface TrainingRow {
  readonly tokens: Int32Array;
  readonly advantage: number;
  /** log p of each token when it was sampled. */
  readonly oldLogProbs: Float32Array;
  /** Under the reference policy, the base or the adapter that the run started from; null when beta is 0. */
  readonly refLogProbs: Float32Array | null;
  /** False for a truncated completion under `mask_truncated_completions`; absent = true. */
  readonly inLoss?: boolean;
}

/** What the loss needs, and how its log-probabilities are computed. */
export type LossConfig = ReferenceLossConfig & Pick<GrpoConfig, "temperature" | "micro_batch_size">;

export interface GradientResult {
  readonly loss: number;
  /** d loss / d adapter, before clipping, summed over micro-batches; same length as the adapter. */
  readonly gradient: Float32Array;
  /** log p under the current adapter, [P][G][T_i], groups and rows in the request's order. */
  readonly logProbs: readonly (readonly Float32Array[])[];
  /** Mean over the tokens in the loss of the entropy of the next-token distribution, nats; null without one. */
  readonly entropy: number | null;
  /** Mean over the tokens in the loss of the KL term to the base; null when beta is 0. */
  readonly kl: number | null;
  /** TRL's clip_ratio/{low_mean, high_mean, region_mean}. */
  readonly clipRatio: ClipRatio;
}

/** AdamW's moments and step count for one adapter. */
export interface OptimizerState {
  readonly m: Float32Array;
  readonly v: Float32Array;
  readonly step: number;
}

export interface OptimizerConfig {
  readonly learningRate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly weightDecay: number;
  /** Largest global norm of the gradient; larger ones are scaled down to it. */
  readonly maxGradNorm: number;
}

export interface OptimizerResult {
  readonly adapter: Float32Array;
  readonly state: OptimizerState;
  /** Global norm before clipping. */
  readonly gradNorm: number;
}

/** A tensor's place in the flat adapter vector. */
export interface AdapterTensor {
  readonly name: string;
  readonly offset: number;
  readonly length: number;
}

export interface Policy {
  /** Length of the flat adapter vector. */
  readonly adapterSize: number;
  /** What the flat vector holds, in its order; faults name them. */
  readonly adapterTensors: readonly AdapterTensor[];
  /** A fresh adapter as PEFT makes it: A Kaiming-uniform, B zero. */
  initialAdapter(uniform: () => number): Float32Array;
  /** [P][G] completions. @throws PlaygroundError `aborted` when the signal fires between chunks. */
  rollout(request: RolloutRequest): Promise<readonly (readonly Completion[])[]>;
  gradient(
    groups: readonly TrainingGroup[],
    adapter: Float32Array,
    loss: LossConfig,
  ): Promise<GradientResult>;
  /** log p of given completions at a temperature, [P][G][T_i]. */
  logProbs(
    groups: readonly { readonly prompt: PromptTokens; readonly completions: readonly Int32Array[] }[],
    adapter: Float32Array | null,
    temperature: number,
  ): Promise<readonly (readonly Float32Array[])[]>;
  /** log p under the base of words that may follow each completion, [P][G], each of the words' length; the same number of completions in every group. */
  nextTokens(
    groups: readonly { readonly prompt: PromptTokens; readonly completions: readonly Int32Array[] }[],
    words: Int32Array,
  ): Promise<readonly (readonly Float32Array[])[]>;
  optimize(
    adapter: Float32Array,
    gradient: Float32Array,
    state: OptimizerState,
    config: OptimizerConfig,
  ): Promise<OptimizerResult>;
  dispose(): Promise<void>;
}

/** Text in, tokens out, by the model's own tokenizer and chat template. */
export interface TextCodec {
  /** The prompt's ids with the generation prompt appended. */
  encodePrompt(messages: readonly { readonly role: string; readonly content: string }[]): PromptTokens;
  /** The text of a completion without special tokens. */
  decode(tokens: Int32Array): string;
  /** One piece of text per token; together they are the decoded text (bytes split over tokens stand at the last). */
  decodePieces(tokens: Int32Array): string[];
  readonly endTokenIds: readonly number[];
}
