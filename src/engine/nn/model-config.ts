/**
 * The decoder's shape as our graphs need it: one block with switches for Qwen3 (q/k norm), Qwen2 (q/k/v bias) and
 * Llama (neither). Read from a Hugging Face config.json by engine/weights.
 */
import { sizeOf } from "../graph/tensor.ts";

export type Architecture = "qwen3" | "qwen2" | "llama";

/** How the frequencies of RoPE are changed (rope.ts); the numbers are config.json's, with its defaults filled in. */
export type RopeScaling =
  | { readonly type: "linear"; readonly factor: number }
  | {
      readonly type: "llama3";
      readonly factor: number;
      readonly lowFreqFactor: number;
      readonly highFreqFactor: number;
      readonly originalMaxPositions: number;
    }
  | {
      readonly type: "yarn";
      readonly factor: number;
      readonly originalMaxPositions: number;
      readonly betaFast: number;
      readonly betaSlow: number;
      /** Whole dimensions bound the ramp. */
      readonly truncate: boolean;
      /** cos and sin are multiplied by it, so that attention's logits grow by its square. */
      readonly attentionFactor: number;
    };

/** Letters as in the house rules: D hidden, L layers, H query heads, Hkv key/value heads, Dh head size, F MLP size, V vocabulary. */
export interface ModelConfig {
  readonly architecture: Architecture;
  readonly hiddenSize: number;
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly mlpSize: number;
  readonly vocabSize: number;
  readonly ropeTheta: number;
  /** Absent: plain RoPE. */
  readonly ropeScaling?: RopeScaling;
  /** What each frequency is divided by before it is scaled, [Dh / 2]; absent: nothing (ggml's `rope_freqs.weight`). */
  readonly ropeFrequencyFactors?: readonly number[];
  readonly rmsNormEps: number;
  /** The head is the embedding transposed. */
  readonly tieWordEmbeddings: boolean;
  readonly maxPositions: number;
}

/** A base weight by its Hugging Face name, e.g. `model.layers.0.self_attn.q_proj.weight` [out, in]. */
export interface WeightSpec {
  readonly name: string;
  readonly shape: readonly number[];
}

/** True for the embedding and for a head of its own, both [V, D]. */
export function isTable(name: string): boolean {
  return name === "model.embed_tokens.weight" || name === "lm_head.weight";
}

/** Every tensor a model of this shape must have, in file order; nothing else is accepted. */
export function weightSpecs(config: ModelConfig): WeightSpec[] {
  const { hiddenSize: D, heads: H, kvHeads: Hkv, headDim: Dh, mlpSize: F, vocabSize: V } = config;
  const specs: WeightSpec[] = [{ name: "model.embed_tokens.weight", shape: [V, D] }];
  for (let l = 0; l < config.layers; l++) {
    const layer = `model.layers.${l}`;
    const add = (name: string, ...shape: number[]): void =>
      void specs.push({ name: `${layer}.${name}`, shape });
    add("input_layernorm.weight", D);
    add("self_attn.q_proj.weight", H * Dh, D);
    add("self_attn.k_proj.weight", Hkv * Dh, D);
    add("self_attn.v_proj.weight", Hkv * Dh, D);
    if (config.architecture === "qwen2") {
      add("self_attn.q_proj.bias", H * Dh);
      add("self_attn.k_proj.bias", Hkv * Dh);
      add("self_attn.v_proj.bias", Hkv * Dh);
    }
    if (config.architecture === "qwen3") {
      add("self_attn.q_norm.weight", Dh);
      add("self_attn.k_norm.weight", Dh);
    }
    add("self_attn.o_proj.weight", D, H * Dh);
    add("post_attention_layernorm.weight", D);
    add("mlp.gate_proj.weight", F, D);
    add("mlp.up_proj.weight", F, D);
    add("mlp.down_proj.weight", D, F);
  }
  specs.push({ name: "model.norm.weight", shape: [D] });
  if (!config.tieWordEmbeddings) specs.push({ name: "lm_head.weight", shape: [V, D] });
  return specs;
}

/** The number of parameters of a model. */
export function parameterCount(config: ModelConfig): number {
  return weightSpecs(config).reduce((sum, spec) => sum + sizeOf(spec.shape), 0);
}
