/** Configurations of models whose weights are written at random: the true shapes of the real ones, and one for tests. */

/** config.json's own names. The end token is the bundled tokenizer's. */
interface HfConfig extends Readonly<Record<string, unknown>> {
  readonly model_type: "qwen2" | "qwen3";
  readonly initializer_range: number;
  readonly num_hidden_layers: number;
  readonly vocab_size: number;
}

const QWEN = {
  attention_dropout: 0,
  bos_token_id: null,
  dtype: "bfloat16",
  eos_token_id: 2,
  hidden_act: "silu",
  initializer_range: 0.02,
  pad_token_id: 0,
  rms_norm_eps: 1e-6,
  rope_theta: 1e6,
  tie_word_embeddings: true,
  use_cache: true,
  use_sliding_window: false,
};

export const MODEL_SHAPES = {
  "qwen2.5-0.5b": {
    ...QWEN,
    architectures: ["Qwen2ForCausalLM"],
    model_type: "qwen2",
    hidden_size: 896,
    intermediate_size: 4864,
    max_position_embeddings: 32_768,
    num_attention_heads: 14,
    num_hidden_layers: 24,
    num_key_value_heads: 2,
    vocab_size: 151_936,
  },
  "qwen3-0.6b": {
    ...QWEN,
    architectures: ["Qwen3ForCausalLM"],
    model_type: "qwen3",
    attention_bias: false,
    head_dim: 128,
    hidden_size: 1024,
    intermediate_size: 3072,
    max_position_embeddings: 40_960,
    num_attention_heads: 16,
    num_hidden_layers: 28,
    num_key_value_heads: 8,
    vocab_size: 151_936,
  },
  tiny: {
    ...QWEN,
    architectures: ["Qwen3ForCausalLM"],
    model_type: "qwen3",
    attention_bias: false,
    head_dim: 32,
    hidden_size: 64,
    intermediate_size: 96,
    max_position_embeddings: 512,
    num_attention_heads: 2,
    num_hidden_layers: 2,
    num_key_value_heads: 1,
    vocab_size: 2048,
  },
} as const satisfies Readonly<Record<string, HfConfig>>;

export type ModelShape = keyof typeof MODEL_SHAPES;

export function isModelShape(name: string): name is ModelShape {
  return Object.hasOwn(MODEL_SHAPES, name);
}

/** Fewer layers or tokens at the shape's own widths, for machines and tests that have less time. */
export interface ModelCut {
  readonly layers?: number | undefined;
  /** At least the bundled tokenizer's 2048. */
  readonly vocabSize?: number | undefined;
}

/** The shape's config.json, cut where that is asked for. */
export function shapeConfig(shape: ModelShape, { layers, vocabSize }: ModelCut = {}): HfConfig {
  const config = MODEL_SHAPES[shape];
  return {
    ...config,
    num_hidden_layers: layers ?? config.num_hidden_layers,
    vocab_size: vocabSize ?? config.vocab_size,
  };
}
