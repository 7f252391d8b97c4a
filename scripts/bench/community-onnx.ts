/**
 * Writes the bundled model as ONNX in the form in which models for transformers.js are published (onnxruntime-genai's
 * builder): input_ids, attention_mask and past_key_values in, logits of every row and present out, GroupQueryAttention
 * with rotary inside and a growing cache, float32. The peer of `npm run bench -- rollouts`. Field numbers: onnx.proto3.
 */
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { defined } from "../../src/base/assert.ts";
import type { HostTensor } from "../../src/engine/graph/tensor.ts";
import type { ModelConfig } from "../../src/engine/nn/model-config.ts";
import { ropeTables } from "../../src/engine/nn/rope.ts";
import { isBlockTensor } from "../../src/engine/graph/block-tensor.ts";
import { loadModel } from "../../src/engine/weights/load-model.ts";
import { createFolderSource } from "../../src/headless/folder-source.ts";

const FLOAT = 1;
const INT32 = 6;
const INT64 = 7;
const COPIED = ["config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json"];

/** Writes config, tokenizer and onnx/model.onnx of a Qwen3 model into `target`. */
export async function writeCommunityModel(source: string, target: string): Promise<void> {
  const { config, weights } = await loadModel(createFolderSource(source));
  mkdirSync(join(target, "onnx"), { recursive: true });
  for (const name of COPIED) cpSync(join(source, name), join(target, name));
  const whole = new Map<string, HostTensor>();
  for (const [name, weight] of weights) if (!isBlockTensor(weight)) whole.set(name, weight);
  writeFileSync(join(target, "onnx/model.onnx"), communityModel(config, whole));
}

type Attributes = Readonly<Record<string, { readonly int: number } | { readonly float: number }>>;

/** A GraphProto as it grows. */
class OnnxGraph {
  readonly #writer = new BinaryWriter();

  node(
    op: string,
    inputs: readonly string[],
    outputs: readonly string[],
    attributes: Attributes = {},
  ): string {
    const writer = this.#writer.uint32((1 << 3) | 2).fork();
    for (const name of inputs) writer.uint32((1 << 3) | 2).string(name);
    for (const name of outputs) writer.uint32((2 << 3) | 2).string(name);
    writer.uint32((3 << 3) | 2).string(outputs[0] ?? op);
    writer.uint32((4 << 3) | 2).string(op);
    for (const [name, value] of Object.entries(attributes)) writeAttribute(writer, name, value);
    if (MICROSOFT.has(op)) writer.uint32((7 << 3) | 2).string("com.microsoft");
    writer.join();
    return outputs[0] ?? "";
  }

  tensor(name: string, type: number, dims: readonly number[], data: ArrayBufferView): string {
    const writer = this.#writer.uint32((5 << 3) | 2).fork();
    for (const dim of dims) writer.uint32(1 << 3).int64(dim);
    writer.uint32(2 << 3).int32(type);
    writer.uint32((8 << 3) | 2).string(name);
    writer.uint32((9 << 3) | 2).bytes(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    writer.join();
    return name;
  }

  /** int64 list. */
  ints(name: string, values: readonly number[]): string {
    return this.tensor(name, INT64, [values.length], BigInt64Array.from(values.map(BigInt)));
  }

  value(kind: "input" | "output", name: string, type: number, dims: readonly (number | string)[]): void {
    const writer = this.#writer.uint32(((kind === "input" ? 11 : 12) << 3) | 2).fork();
    writer.uint32((1 << 3) | 2).string(name);
    writer.uint32((2 << 3) | 2).fork(); // type
    writer.uint32((1 << 3) | 2).fork(); // tensor_type
    writer.uint32(1 << 3).int32(type);
    writer.uint32((2 << 3) | 2).fork(); // shape
    for (const dim of dims) {
      writer.uint32((1 << 3) | 2).fork();
      if (typeof dim === "number") writer.uint32(1 << 3).int64(dim);
      else writer.uint32((2 << 3) | 2).string(dim);
      writer.join();
    }
    writer.join().join().join().join();
  }

  model(name: string): Uint8Array {
    this.#writer.uint32((2 << 3) | 2).string(name);
    const model = new BinaryWriter();
    model.uint32(1 << 3).int64(10); // ir_version
    model.uint32((7 << 3) | 2).bytes(this.#writer.finish());
    for (const [domain, version] of [
      ["", 21],
      ["com.microsoft", 1],
    ] as const) {
      // prettier-ignore
      model.uint32((8 << 3) | 2).fork(); // opset_import
      model.uint32((1 << 3) | 2).string(domain);
      model.uint32(2 << 3).int64(version);
      model.join();
    }
    return model.finish();
  }
}

const MICROSOFT = new Set(["GroupQueryAttention", "SkipSimplifiedLayerNormalization"]);

function writeAttribute(writer: BinaryWriter, name: string, value: Attributes[string] | undefined): void {
  if (value === undefined) return;
  writer.uint32((5 << 3) | 2).fork();
  writer.uint32((1 << 3) | 2).string(name);
  if ("int" in value) writer.uint32(3 << 3).int64(value.int).uint32(20 << 3).int32(2); // prettier-ignore
  else writer.uint32((2 << 3) | 5).float(value.float).uint32(20 << 3).int32(1); // prettier-ignore
  writer.join();
}

interface Build {
  readonly graph: OnnxGraph;
  readonly config: ModelConfig;
  readonly weights: ReadonlyMap<string, HostTensor>;
}

function communityModel(config: ModelConfig, weights: ReadonlyMap<string, HostTensor>): Uint8Array {
  if (config.architecture !== "qwen3") throw new Error("only Qwen3 is written");
  const build = { graph: new OnnxGraph(), config, weights };
  declareValues(build);
  const { graph } = build;
  writeLengths(graph);
  const { cos, sin } = ropeTables(config, config.maxPositions);
  graph.tensor("cos_cache", FLOAT, [config.maxPositions, config.headDim / 2], Float32Array.from(cos));
  graph.tensor("sin_cache", FLOAT, [config.maxPositions, config.headDim / 2], Float32Array.from(sin));
  plain(build, "model.embed_tokens.weight");
  let residual = graph.node("Gather", ["model.embed_tokens.weight", "input_ids"], ["embedded"]); // [B, S, D]
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
  transposed(build, config.tieWordEmbeddings ? "model.embed_tokens.weight" : "lm_head.weight", "head");
  graph.node("MatMul", [normed, "head"], ["logits"]);
  return graph.model(config.architecture);
}

function declareValues({ graph, config }: Build): void {
  const { kvHeads, headDim, layers, vocabSize } = config;
  graph.value("input", "input_ids", INT64, ["batch_size", "sequence_length"]);
  graph.value("input", "attention_mask", INT64, ["batch_size", "total_sequence_length"]);
  graph.value("output", "logits", FLOAT, ["batch_size", "sequence_length", vocabSize]);
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

/** Qwen3's RMSNorm over each head: [B, S, heads*Dh] seen as [B, S*heads, Dh]. */
function headNorm(build: Build, weight: string, x: string, heads: number): string {
  const { graph, config } = build;
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

/** x W^T with the weight stored transposed, as the builder stores it. */
function linear(build: Build, name: string, x: string): string {
  transposed(build, `${name}.weight`, `${name}.matrix`);
  return build.graph.node("MatMul", [x, `${name}.matrix`], [`${name}.out`]);
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
