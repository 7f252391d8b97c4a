/**
 * Reads a Hugging Face config.json (and generation_config.json) as our ModelConfig. Both spellings are read: those of
 * transformers 5 (`rope_parameters`) and the older ones (`rope_theta`, `rope_scaling`). `dtype` and `torch_dtype` are not
 * needed: each tensor says its own. What a graph of ours would compute differently is refused by name, never ignored.
 * Defaults of absent fields are those of transformers 5.23.
 */
import { z } from "zod";
import type { Architecture, ModelConfig } from "../nn/model-config.ts";
import {
  brokenConfig as broken,
  parseField as parse,
  unsupportedConfig as unsupported,
} from "./config-faults.ts";
import { readRope, ropeFields } from "./hf-rope.ts";

const HEADS_OF: Readonly<Record<Architecture, string>> = {
  qwen3: "Qwen3ForCausalLM",
  qwen2: "Qwen2ForCausalLM",
  llama: "LlamaForCausalLM",
};
const MAX_POSITIONS: Readonly<Record<Architecture, number>> = { qwen3: 32768, qwen2: 32768, llama: 2048 };

const size = z.int().positive();
/** Ten times the deepest model there is; a number beyond it would list tensors until memory ends. */
const MOST_LAYERS = 1280;
const eosSchema = z
  .union([z.int().nonnegative(), z.array(z.int().nonnegative())])
  .nullish()
  .transform((value) => (typeof value === "number" ? [value] : (value ?? [])));
const sizesSchema = z.looseObject({
  hidden_size: size,
  num_hidden_layers: size.max(MOST_LAYERS, `more than ${MOST_LAYERS} layers`),
  num_attention_heads: size,
  num_key_value_heads: size.nullish(),
  head_dim: size.nullish(),
  intermediate_size: size,
  vocab_size: size,
  max_position_embeddings: size.nullish(),
  rms_norm_eps: z.number().positive().default(1e-6),
  tie_word_embeddings: z.boolean().default(false),
  ...ropeFields,
  eos_token_id: eosSchema,
  hidden_act: z.string().default("silu"),
  attention_bias: z.boolean().default(false),
  mlp_bias: z.boolean().default(false),
  use_sliding_window: z.boolean().default(false),
  sliding_window: z.int().nullish(),
  max_window_layers: z.int().default(28),
  layer_types: z.array(z.string()).nullish(),
  architectures: z.array(z.string()).nullish(),
  quantization_config: z.unknown().optional(),
});
type HfConfig = z.infer<typeof sizesSchema>;

/** What a model's JSON files say. */
export interface HfModel {
  readonly config: ModelConfig;
  /** From generation_config.json, else from config.json; at least one, each below vocabSize. */
  readonly endTokenIds: readonly number[];
}

/**
 * `config` and `generationConfig` are the parsed files; the latter is null where there is none. `where` names the model.
 * @throws PlaygroundError `model-unsupported` for what our graphs do not compute, `model-broken` for what contradicts itself.
 */
export function readHfConfig(config: unknown, generationConfig: unknown, where: string): HfModel {
  const file = `${where}/config.json`;
  const architecture = readArchitecture(config, file);
  const fields = parse(sizesSchema, config, file);
  refuseUnsupported(architecture, fields, file);
  const model = readSizes(architecture, fields, file);
  const generation = parse(
    z.looseObject({ eos_token_id: eosSchema }),
    generationConfig ?? {},
    `${where}/generation_config.json`,
  );
  const endTokenIds = generation.eos_token_id.length > 0 ? generation.eos_token_id : fields.eos_token_id;
  checkEndTokens(endTokenIds, model.vocabSize, where);
  return { config: model, endTokenIds };
}

function readArchitecture(config: unknown, file: string): Architecture {
  const head = parse(z.looseObject({ model_type: z.string() }), config, file);
  if (!Object.hasOwn(HEADS_OF, head.model_type)) {
    throw unsupported(`${file}: model_type`, Object.keys(HEADS_OF).join(", "), head.model_type);
  }
  return head.model_type as Architecture;
}

function refuseUnsupported(architecture: Architecture, fields: HfConfig, file: string): void {
  const wanted = HEADS_OF[architecture];
  const other = fields.architectures?.find((name) => name !== wanted);
  const refusals: readonly (readonly [boolean, string, string, string])[] = [
    [other !== undefined, "architectures", wanted, String(other)],
    [fields.hidden_act !== "silu", "hidden_act", "silu", fields.hidden_act],
    // transformers ignores the field for Qwen2: q, k and v have biases there, o has none.
    [architecture !== "qwen2" && fields.attention_bias, "attention_bias", "false", "true"],
    [fields.mlp_bias, "mlp_bias", "false", "true"],
    [usesSlidingWindow(architecture, fields), "sliding_window", "full attention", "a sliding window in use"],
    [fields.quantization_config != null, "quantization_config", "no quantisation", "a quantised model"],
  ];
  for (const [refused, field, expected, got] of refusals) {
    if (refused) throw unsupported(`${file}: ${field}`, expected, got);
  }
}

function usesSlidingWindow(architecture: Architecture, fields: HfConfig): boolean {
  if (fields.layer_types) return fields.layer_types.some((type) => type !== "full_attention");
  if (architecture === "llama") return fields.sliding_window != null;
  const window = fields.use_sliding_window && fields.sliding_window != null;
  return window && fields.max_window_layers < fields.num_hidden_layers;
}

function readSizes(architecture: Architecture, fields: HfConfig, file: string): ModelConfig {
  const heads = fields.num_attention_heads;
  const kvHeads = fields.num_key_value_heads ?? heads;
  if (heads % kvHeads !== 0) {
    throw broken(`${file}: num_key_value_heads`, `a divisor of ${heads} attention heads`, `${kvHeads}`);
  }
  const headDim =
    fields.head_dim ?? (architecture === "qwen3" ? 128 : Math.floor(fields.hidden_size / heads));
  if (headDim % 2 !== 0) throw broken(`${file}: head_dim`, "an even number", `${headDim}`);
  if (fields.layer_types && fields.layer_types.length !== fields.num_hidden_layers) {
    throw broken(
      `${file}: layer_types`,
      `${fields.num_hidden_layers} entries`,
      `${fields.layer_types.length}`,
    );
  }
  const maxPositions = fields.max_position_embeddings ?? MAX_POSITIONS[architecture];
  return {
    architecture,
    hiddenSize: fields.hidden_size,
    layers: fields.num_hidden_layers,
    heads,
    kvHeads,
    headDim,
    mlpSize: fields.intermediate_size,
    vocabSize: fields.vocab_size,
    ...readRope(fields, maxPositions, file),
    rmsNormEps: fields.rms_norm_eps,
    tieWordEmbeddings: fields.tie_word_embeddings,
    maxPositions,
  };
}

function checkEndTokens(ids: readonly number[], vocabSize: number, where: string): void {
  const field = `${where}: eos_token_id`;
  if (ids.length === 0) {
    throw broken(field, "an end token in generation_config.json or config.json", "none");
  }
  const outside = ids.find((id) => id >= vocabSize);
  if (outside !== undefined) throw broken(field, `ids below vocab_size ${vocabSize}`, `${outside}`);
}
