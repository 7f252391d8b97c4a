/**
 * Writes a model as ONNX in the form in which models for transformers.js are published (onnxruntime-genai's builder):
 * input_ids, attention_mask and past_key_values in, logits and present out, GroupQueryAttention with rotary inside and a
 * growing cache; as many last rows of logits as `num_logits_to_keep` says. In float32, or its products in 8 bits
 * (dynamic-q8.ts). The peer of `npm run bench -- rollouts` and of the benches of real models.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defined } from "../../src/base/assert.ts";
import type { HostTensor } from "../../src/engine/graph/tensor.ts";
import type { ModelConfig } from "../../src/engine/nn/model-config.ts";
import { ropeTables } from "../../src/engine/nn/rope.ts";
import { isBlockTensor } from "../../src/engine/graph/block-tensor.ts";
import { loadModel, type LoadedModel } from "../../src/engine/weights/load-model.ts";
import { createFolderSource } from "../../src/headless/folder-source.ts";
import { DynamicProducts, int8Matrix, int8Rows, writeInt8 } from "./dynamic-q8.ts";
import { FLOAT, INT32, INT64, OnnxGraph } from "./onnx-writer.ts";

/** transformers.js' `dtype`: float32 in onnx/model.onnx, 8 bits in onnx/model_quantized.onnx. */
type CommunityType = "fp32" | "q8";

const FILES: Readonly<Record<CommunityType, string>> = { fp32: "model.onnx", q8: "model_quantized.onnx" };

/** Positions of the rotary tables: the benches ask for no more. */
const MOST_POSITIONS = 2048;

/** Writes config, tokenizer and the ONNX file of a Qwen3 or Llama model (a folder or a GGUF file) into `target`. */
export async function writeCommunityModel(
  source: string,
  target: string,
  type: CommunityType = "fp32",
): Promise<void> {
  const model = await loadModel(createFolderSource(source));
  mkdirSync(join(target, "onnx"), { recursive: true });
  const { tokenizerJson, tokenizerConfigJson } = model.tokenizerFiles;
  writeFileSync(join(target, "config.json"), JSON.stringify(configFile(model)));
  writeFileSync(join(target, "tokenizer.json"), tokenizerJson ?? "");
  writeFileSync(join(target, "tokenizer_config.json"), tokenizerConfigJson ?? "");
  const whole = new Map<string, HostTensor>();
  for (const [name, weight] of model.weights) if (!isBlockTensor(weight)) whole.set(name, weight);
  writeFileSync(join(target, "onnx", FILES[type]), communityModel(model.config, whole, type));
}

/** What transformers.js reads of config.json. */
function configFile({ config, endTokenIds }: LoadedModel): Readonly<Record<string, unknown>> {
  return {
    model_type: config.architecture,
    hidden_size: config.hiddenSize,
    num_hidden_layers: config.layers,
    num_attention_heads: config.heads,
    num_key_value_heads: config.kvHeads,
    head_dim: config.headDim,
    vocab_size: config.vocabSize,
    max_position_embeddings: config.maxPositions,
    eos_token_id: endTokenIds,
  };
}

interface Build {
  readonly graph: OnnxGraph;
  readonly config: ModelConfig;
  readonly weights: ReadonlyMap<string, HostTensor>;
  /** null = products in float32. */
  readonly products: DynamicProducts | null;
}

function communityModel(
  config: ModelConfig,
  weights: ReadonlyMap<string, HostTensor>,
  type: CommunityType,
): Uint8Array {
  if (config.architecture === "qwen2") throw new Error("biases are not written");
  const graph = new OnnxGraph();
  const build = { graph, config, weights, products: type === "q8" ? new DynamicProducts(graph) : null };
  declareValues(build);
  writeLengths(graph);
  const positions = Math.min(MOST_POSITIONS, config.maxPositions);
  const { cos, sin } = ropeTables(config, positions);
  graph.tensor("cos_cache", FLOAT, [positions, config.headDim / 2], Float32Array.from(cos));
  graph.tensor("sin_cache", FLOAT, [positions, config.headDim / 2], Float32Array.from(sin));
  let residual = embedding(build); // [B, S, D]
  let branch: string | null = null; // what is still to be added to the residual
  for (let layer = 0; layer < config.layers; layer++) {
    const attended = normalised(build, `model.layers.${layer}.input_layernorm.weight`, residual, branch);
    branch = attention(build, layer, attended.normed);
    const fed = normalised(
      build,
      `model.layers.${layer}.post_attention_layernorm.weight`,
      attended.sum,
      branch,
    );
    residual = fed.sum;
    branch = mlp(build, layer, fed.normed);
  }
  const { normed } = normalised(build, "model.norm.weight", residual, branch);
  multiply(build, lastRows(graph, normed), "head", "logits");
  return graph.model(config.architecture);
}

/** Writes the table or tables, and gives the tokens' rows. */
function embedding(build: Build): string {
  const { graph, config, products } = build;
  const table = "model.embed_tokens.weight";
  matrix(build, config.tieWordEmbeddings ? table : "lm_head.weight", "head");
  if (products !== null && config.tieWordEmbeddings) return int8Rows(graph, "head", "input_ids", "embedded");
  plain(build, table);
  return graph.node("Gather", [table, "input_ids"], ["embedded"]);
}

/** The last `num_logits_to_keep` of the rows [B, S, D]; 0 = all. */
function lastRows(graph: OnnxGraph, x: string): string {
  graph.ints("rows_end", [2 ** 31]);
  graph.ints("rows_axis", [1]);
  const keep = graph.node("Reshape", ["num_logits_to_keep", "rows_axis"], ["rows_kept"]);
  const start = graph.node("Neg", [keep], ["rows_start"]);
  return graph.node("Slice", [x, start, "rows_end", "rows_axis"], ["last_rows"]);
}

function declareValues({ graph, config }: Build): void {
  const { kvHeads, headDim, layers, vocabSize } = config;
  graph.value("input", "input_ids", INT64, ["batch_size", "sequence_length"]);
  graph.value("input", "attention_mask", INT64, ["batch_size", "total_sequence_length"]);
  graph.value("input", "num_logits_to_keep", INT64, []);
  graph.value("output", "logits", FLOAT, ["batch_size", "logits_length", vocabSize]);
  for (let layer = 0; layer < layers; layer++) {
    for (const part of ["key", "value"]) {
      const past = ["batch_size", kvHeads, "past_sequence_length", headDim];
      graph.value("input", `past_key_values.${layer}.${part}`, FLOAT, past);
      const present = ["batch_size", kvHeads, "total_sequence_length", headDim];
      graph.value("output", `present.${layer}.${part}`, FLOAT, present);
    }
  }
}

/** seqlens_k int32 [B] = sum of the mask - 1; total_sequence_length int32 scalar = the mask's length. */
function writeLengths(graph: OnnxGraph): void {
  graph.ints("axis1", [1]);
  graph.tensor("one", INT64, [], BigInt64Array.of(1n));
  graph.tensor("index1", INT64, [], BigInt64Array.of(1n));
  graph.node("ReduceSum", ["attention_mask", "axis1"], ["mask_sum"], { keepdims: { int: 0 } });
  graph.node("Sub", ["mask_sum", "one"], ["last_position"]);
  graph.node("Cast", ["last_position"], ["seqlens_k"], { to: { int: INT32 } });
  graph.node("Shape", ["attention_mask"], ["mask_shape"]);
  graph.node("Gather", ["mask_shape", "index1"], ["total_long"], { axis: { int: 0 } });
  graph.node("Cast", ["total_long"], ["total_sequence_length"], { to: { int: INT32 } });
}

/** residual + branch and its RMSNorm, fused where there is a branch. */
function normalised(
  build: Build,
  weight: string,
  residual: string,
  branch: string | null,
): { readonly normed: string; readonly sum: string } {
  const { graph, config } = build;
  plain(build, weight);
  const epsilon = { epsilon: { float: config.rmsNormEps } };
  const out = `${weight}.out`;
  if (branch === null) {
    graph.node("SimplifiedLayerNormalization", [residual, weight], [out], { ...epsilon, axis: { int: -1 } });
    return { normed: out, sum: residual };
  }
  const sum = `${weight}.sum`;
  graph.node("SkipSimplifiedLayerNormalization", [residual, branch, weight], [out, "", "", sum], epsilon);
  return { normed: out, sum };
}

function attention(build: Build, layer: number, x: string): string {
  const { graph, config } = build;
  const { heads, kvHeads } = config;
  const at = `model.layers.${layer}.self_attn`;
  const q = headNorm(build, `${at}.q_norm.weight`, linear(build, `${at}.q_proj`, x), heads);
  const k = headNorm(build, `${at}.k_norm.weight`, linear(build, `${at}.k_proj`, x), kvHeads);
  const v = linear(build, `${at}.v_proj`, x);
  const past = [`past_key_values.${layer}.key`, `past_key_values.${layer}.value`];
  graph.node(
    "GroupQueryAttention",
    [q, k, v, ...past, "seqlens_k", "total_sequence_length", "cos_cache", "sin_cache"],
    [`${at}.out`, `present.${layer}.key`, `present.${layer}.value`],
    { num_heads: { int: heads }, kv_num_heads: { int: kvHeads }, do_rotary: { int: 1 } },
  );
  return linear(build, `${at}.o_proj`, `${at}.out`);
}

/** Qwen3's RMSNorm over each head: [B, S, heads*Dh] seen as [B, S*heads, Dh]; nothing for Llama. */
function headNorm(build: Build, weight: string, x: string, heads: number): string {
  const { graph, config } = build;
  if (config.architecture !== "qwen3") return x;
  plain(build, weight);
  graph.ints(`${weight}.split`, [0, -1, config.headDim]);
  graph.ints(`${weight}.join`, [0, -1, heads * config.headDim]);
  const split = graph.node("Reshape", [x, `${weight}.split`], [`${weight}.heads`]);
  const attributes = { epsilon: { float: config.rmsNormEps }, axis: { int: -1 } };
  const normed = graph.node(
    "SimplifiedLayerNormalization",
    [split, weight],
    [`${weight}.normed`],
    attributes,
  );
  return graph.node("Reshape", [normed, `${weight}.join`], [`${weight}.out`]);
}

function mlp(build: Build, layer: number, x: string): string {
  const { graph } = build;
  const at = `model.layers.${layer}.mlp`;
  const gate = linear(build, `${at}.gate_proj`, x);
  const sigmoid = graph.node("Sigmoid", [gate], [`${at}.sigmoid`]);
  const silu = graph.node("Mul", [gate, sigmoid], [`${at}.silu`]);
  const up = linear(build, `${at}.up_proj`, x);
  return linear(build, `${at}.down_proj`, graph.node("Mul", [silu, up], [`${at}.product`]));
}

/** x W^T of one of the linears. */
function linear(build: Build, name: string, x: string): string {
  matrix(build, `${name}.weight`, `${name}.matrix`);
  return multiply(build, x, `${name}.matrix`, `${name}.out`);
}

function multiply({ graph, products }: Build, x: string, right: string, out: string): string {
  return products?.product(x, right, out) ?? graph.node("MatMul", [x, right], [out]);
}

/** Writes a weight as a product's right side, transposed as the builder stores it. */
function matrix(build: Build, from: string, to: string): void {
  const { graph, weights, products } = build;
  if (products === null) {
    transposed(build, from, to);
    return;
  }
  const { dims, data } = defined(weights.get(from), from);
  const [rows = 0, columns = 0] = dims;
  writeInt8(graph, to, int8Matrix(data as Float32Array, [rows, columns]));
}

function plain({ graph, weights }: Build, name: string): void {
  const { dims, data } = defined(weights.get(name), name);
  graph.tensor(name, FLOAT, dims, data);
}

/** [out, in] -> [in, out]. */
function transposed({ graph, weights }: Build, from: string, to: string): void {
  const { dims, data } = defined(weights.get(from), from);
  const [rows = 0, columns = 0] = dims;
  const turned = new Float32Array(rows * columns);
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) turned[c * rows + r] = Number(data[r * columns + c]);
  }
  graph.tensor(to, FLOAT, [columns, rows], turned);
}
