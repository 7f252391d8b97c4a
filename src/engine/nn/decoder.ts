/**
 * The decoder (Qwen3, Qwen2, Llama) as one block with switches, over a flat list of token rows [N, D]. How rows
 * attend to each other is an argument: rollouts, the shared-prefix update and pre-training each bring their own.
 * Same computation as transformers' modeling_qwen3 / qwen2 / llama in evaluation mode.
 */
import { defined } from "../../base/assert.ts";
import type { Dim, Graph, Value } from "../graph/ir.ts";
import { add, mul, silu } from "../graph/ops/elementwise.ts";
import { linear } from "../graph/ops/linear.ts";
import { rmsNorm, rotary } from "../graph/ops/nn.ts";
import { reshape } from "../graph/ops/shape.ts";
import type { BlockBits } from "../graph/block-tensor.ts";
import type { LoraModule, LoraValues } from "./lora.ts";
import { type BaseMatrix, declareMatrix, matrixProduct, type WeightPart } from "./base-matrix.ts";
import { type ModelConfig, type WeightSpec, weightSpecs } from "./model-config.ts";
import { ropeTables } from "./rope.ts";
import { declareTable, tableLogits, tableRows, type VocabularyTable } from "./vocabulary-table.ts";

/** Attention of one layer: q [N, H*Dh], k and v [N, Hkv*Dh] (after norm and RoPE) -> [N, H*Dh]. */
export type Attend = (q: Value, k: Value, v: Value, layer: number) => Value;

/** Base weights by their Hugging Face names. */
export interface DecoderWeights {
  /** A vector: a norm's or a bias. */
  readonly weight: (name: string) => Value;
  /** One of the linears, [out, in]. */
  readonly matrix: (name: string) => BaseMatrix;
  /** The embedding, or a head of its own. */
  readonly table: (name: string) => VocabularyTable;
}

/** What every layer of one graph shares. */
export interface Decoder extends Pick<DecoderWeights, "weight" | "matrix"> {
  readonly graph: Graph;
  readonly config: ModelConfig;
  /** null = the base model. */
  readonly lora: LoraValues | null;
  /** Position of each row, int64 [N, 1]. */
  readonly positions: Value;
  /** Rows N, a number or a symbolic dim. */
  readonly rows: Dim;
  readonly cos: Value;
  readonly sin: Value;
  readonly attend: Attend;
}

/** The rotation tables of positions 0 .. positions-1 as constants of a graph. */
export function ropeConstants(
  graph: Graph,
  config: ModelConfig,
  positions: number,
): { cos: Value; sin: Value } {
  const tables = ropeTables(config, positions);
  const shape = [positions, config.headDim / 2];
  return {
    cos: graph.constant("float32", shape, tables.cos),
    sin: graph.constant("float32", shape, tables.sin),
  };
}

/** How base weights lie in a graph. */
export interface WeightForm {
  /** Rows of one chunk of the embedding and the head; absent = one tensor. */
  readonly tableChunkRows?: number | undefined;
  /** Bits of the matrices' blocks; absent or null = plain float32. */
  readonly blockBits?: BlockBits | null;
}

/** Looks base weights up by name; each is declared once a graph. */
export function declareWeights(
  graph: Graph,
  config: ModelConfig,
  { tableChunkRows, blockBits = null }: WeightForm,
): DecoderWeights {
  const specs = new Map(weightSpecs(config).map((spec) => [spec.name, spec]));
  const specOf = (name: string): WeightSpec => defined(specs.get(name), `weight ${name}`);
  const weight = ({ name, dtype, dims }: WeightPart): Value => graph.weight(name, dtype, dims);
  const matrix = (spec: WeightSpec): BaseMatrix => declareMatrix(weight, spec, blockBits);
  return {
    weight: once((name) => weight({ name, dtype: "float32", dims: specOf(name).shape })),
    matrix: once((name) => matrix(specOf(name))),
    table: once((name) => declareTable(matrix, specOf(name), tableChunkRows)),
  };
}

/** Remembers what `make` gave for a name. */
function once<T>(make: (name: string) => T): (name: string) => T {
  const made = new Map<string, T>();
  return (name) => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const value = make(name);
    made.set(name, value);
    return value;
  };
}

/** Embeds token rows: ids int32 [N] -> [N, D]. */
export function embed({ table }: Pick<DecoderWeights, "table">, ids: Value): Value {
  return tableRows(table("model.embed_tokens.weight"), ids); // [N, D]
}

/** All layers: [N, D] -> [N, D]. */
export function decode(decoder: Decoder, x: Value): Value {
  let rows = x;
  for (let layer = 0; layer < decoder.config.layers; layer++) rows = decoderBlock(decoder, rows, layer);
  return rows; // the final norm comes after, on the rows that are needed
}

/** What comes after the last layer. */
interface Top extends DecoderWeights {
  readonly config: ModelConfig;
}

/** [R, D] -> [R, D]. */
export function finalNorm({ weight, config }: Top, x: Value): Value {
  return rmsNorm(x, weight("model.norm.weight"), config.rmsNormEps);
}

/** Final norm and head: [R, D] -> logits [R, V]. */
export function headLogits(top: Top, x: Value): Value {
  return tableLogits(headTable(top), finalNorm(top, x));
}

/** The head's matrix [V, D]: the embedding where they are tied. */
export function headTable({ table, config }: Top): VocabularyTable {
  return table(config.tieWordEmbeddings ? "model.embed_tokens.weight" : "lm_head.weight");
}

function decoderBlock(decoder: Decoder, x: Value, layer: number): Value {
  const { config, weight } = decoder;
  const name = (part: string): string => `model.layers.${layer}.${part}`;
  const attended = attention(
    decoder,
    rmsNorm(x, weight(name("input_layernorm.weight")), config.rmsNormEps),
    layer,
  );
  const mid = add(x, project(decoder, attended, layer, "o_proj")); // [N, D]
  const normed = rmsNorm(mid, weight(name("post_attention_layernorm.weight")), config.rmsNormEps);
  const gate = silu(project(decoder, normed, layer, "gate_proj")); // [N, F]
  const up = project(decoder, normed, layer, "up_proj"); // [N, F]
  return add(mid, project(decoder, mul(gate, up), layer, "down_proj")); // [N, D]
}

function attention(decoder: Decoder, x: Value, layer: number): Value {
  const { heads, kvHeads } = decoder.config;
  const q = rotate(decoder, headNorm(decoder, project(decoder, x, layer, "q_proj"), layer, "q_norm"), heads);
  const k = rotate(
    decoder,
    headNorm(decoder, project(decoder, x, layer, "k_proj"), layer, "k_norm"),
    kvHeads,
  );
  const v = project(decoder, x, layer, "v_proj"); // [N, Hkv*Dh]
  return decoder.attend(q, k, v, layer); // [N, H*Dh]
}

/** Qwen3's RMSNorm over each head's Dh; nothing for the others. */
function headNorm(decoder: Decoder, x: Value, layer: number, norm: "q_norm" | "k_norm"): Value {
  const { architecture, heads, kvHeads, headDim, rmsNormEps } = decoder.config;
  if (architecture !== "qwen3") return x;
  const width = (norm === "q_norm" ? heads : kvHeads) * headDim;
  const perHead = reshape(x, [decoder.rows, width / headDim, headDim]); // [N, heads, Dh]
  const weight = decoder.weight(`model.layers.${layer}.self_attn.${norm}.weight`);
  return reshape(rmsNorm(perHead, weight, rmsNormEps), [decoder.rows, width]);
}

function rotate(decoder: Decoder, x: Value, heads: number): Value {
  const width = heads * decoder.config.headDim;
  const sequences = reshape(x, [decoder.rows, 1, width]); // one row a sequence: the table may then be longer
  return reshape(rotary(sequences, decoder.positions, decoder.cos, decoder.sin), [decoder.rows, width]);
}

const ATTENTION_MODULES: readonly LoraModule[] = ["q_proj", "k_proj", "v_proj", "o_proj"];

/** A linear's name without its part, e.g. `model.layers.0.self_attn.q_proj`. */
function linearName(layer: number, module: LoraModule): string {
  return `model.layers.${layer}.${ATTENTION_MODULES.includes(module) ? "self_attn" : "mlp"}.${module}`;
}

/** The Hugging Face name of a linear's weight. */
export function linearWeightName(layer: number, module: LoraModule): string {
  return `${linearName(layer, module)}.weight`;
}

/** One of the seven linears, with bias (Qwen2) and adapter where they exist: [N, in] -> [N, out]. */
function project(decoder: Decoder, x: Value, layer: number, module: LoraModule): Value {
  let y = matrixProduct(x, decoder.matrix(linearWeightName(layer, module)));
  const hasBias = ATTENTION_MODULES.includes(module) && module !== "o_proj";
  if (decoder.config.architecture === "qwen2" && hasBias) {
    y = add(y, decoder.weight(`${linearName(layer, module)}.bias`));
  }
  const adapter = decoder.lora?.at(layer, module);
  if (!adapter || !decoder.lora) return y;
  return add(y, linear(mul(linear(x, adapter.a), decoder.lora.scale), adapter.b));
}
