/**
 * Writes config.json and generation_config.json of our decoder's shape, the way back of hf-config.ts: every number that decides
 * what the model computes. RoPE stands in both spellings, for transformers 5 and for older ones, which pass over the other.
 */
import { PlaygroundError } from "../../base/errors.ts";
import type { Architecture, ModelConfig, RopeScaling } from "../nn/model-config.ts";

const CLASSES: Readonly<Record<Architecture, string>> = {
  qwen3: "Qwen3ForCausalLM",
  qwen2: "Qwen2ForCausalLM",
  llama: "LlamaForCausalLM",
};

export interface ConfigFiles {
  readonly "config.json": string;
  readonly "generation_config.json": string;
}

/**
 * `dtype` is the weights' own.
 * @throws PlaygroundError `model-unsupported` for frequency factors, which config.json has no field for
 */
export function writeHfConfig(
  config: ModelConfig,
  endTokenIds: readonly number[],
  dtype: "float32" | "bfloat16",
): ConfigFiles {
  if (config.ropeFrequencyFactors !== undefined) {
    throw new PlaygroundError({
      code: "model-unsupported",
      where: "rope_freqs.weight",
      expected: "RoPE that a config.json can say",
      got: "a factor for every frequency, as a GGUF file has them",
      next: "Load the model's safetensors, and merge the adapter into those.",
    });
  }
  const eos = endTokenIds.length === 1 ? endTokenIds[0] : endTokenIds;
  const fields = {
    architectures: [CLASSES[config.architecture]],
    model_type: config.architecture,
    hidden_size: config.hiddenSize,
    intermediate_size: config.mlpSize,
    num_hidden_layers: config.layers,
    num_attention_heads: config.heads,
    num_key_value_heads: config.kvHeads,
    head_dim: config.headDim,
    vocab_size: config.vocabSize,
    max_position_embeddings: config.maxPositions,
    rms_norm_eps: config.rmsNormEps,
    tie_word_embeddings: config.tieWordEmbeddings,
    hidden_act: "silu",
    attention_bias: config.architecture === "qwen2",
    attention_dropout: 0,
    eos_token_id: eos,
    ...ropeFields(config),
    dtype,
    torch_dtype: dtype,
  };
  return { "config.json": text(fields), "generation_config.json": text({ eos_token_id: eos }) };
}

function ropeFields({ ropeTheta, ropeScaling }: ModelConfig): object {
  const scaling = ropeScaling === undefined ? { rope_type: "default" } : scalingFields(ropeScaling);
  const rope = { ...scaling, rope_theta: ropeTheta };
  return {
    rope_theta: ropeTheta,
    rope_parameters: rope,
    ...(ropeScaling === undefined ? {} : { rope_scaling: rope }),
  };
}

function scalingFields(scaling: RopeScaling): object {
  const { type, factor } = scaling;
  switch (type) {
    case "linear":
      return { rope_type: type, factor };
    case "llama3":
      return {
        rope_type: type,
        factor,
        low_freq_factor: scaling.lowFreqFactor,
        high_freq_factor: scaling.highFreqFactor,
        original_max_position_embeddings: scaling.originalMaxPositions,
      };
    case "yarn":
      return {
        rope_type: type,
        factor,
        original_max_position_embeddings: scaling.originalMaxPositions,
        beta_fast: scaling.betaFast,
        beta_slow: scaling.betaSlow,
        truncate: scaling.truncate,
        attention_factor: scaling.attentionFactor,
      };
  }
}

function text(fields: object): string {
  return `${JSON.stringify(fields, null, 2)}\n`;
}
