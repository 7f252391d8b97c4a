/**
 * A model with an adapter added into its weights, W + s B A (arXiv 2106.09685, section 4.1), as the files that transformers loads.
 * The weights come tensor by tensor, so that beside the base no more than one tensor is in memory; a tied head stays tied.
 *
 * 1. Sums are float32's; BF16 is rounded once, to nearest even, at the end.
 * 2. A base held in blocks of 8 or 4 bits is taken at the numbers that it was trained with: the merged model is in F32.
 */
import { defined } from "../../base/assert.ts";
import { sizeOf } from "../graph/tensor.ts";
import { linearWeightName } from "../nn/decoder.ts";
import type { LoraEntry, LoraLayout } from "../nn/lora.ts";
import { type ModelConfig, weightSpecs } from "../nn/model-config.ts";
import { dequantizeBlocks, isBlockTensor, type WeightTensor } from "../graph/block-tensor.ts";
import type { TokenizerFiles } from "./load-model.ts";
import { writeHfConfig } from "./hf-config-file.ts";

export type MergedDtype = "F32" | "BF16";

export interface MergeRequest {
  readonly config: ModelConfig;
  readonly weights: ReadonlyMap<string, WeightTensor>;
  readonly layout: LoraLayout;
  readonly adapter: Float32Array;
  readonly dtype: MergedDtype;
}

const ELEMENT_BYTES: Readonly<Record<MergedDtype, number>> = { F32: 4, BF16: 2 };

/** As the base was loaded: BF16 where it can hold every number of the base, else F32 (F16, GGUF, blocks). */
export function loadedDtype(weights: ReadonlyMap<string, WeightTensor>): MergedDtype {
  const inBf16 = (weight: WeightTensor): boolean => {
    if (isBlockTensor(weight)) return false;
    const { buffer, byteOffset, length } = weight.data as Float32Array;
    return new Uint32Array(buffer, byteOffset, length).every((bits) => (bits & 0xffff) === 0);
  };
  return [...weights.values()].every(inBf16) ? "BF16" : "F32";
}

/** The small files beside the weights, by name: configuration, tokenizer, chat template. @throws as `writeHfConfig` */
export function mergedModelFiles(
  config: ModelConfig,
  endTokenIds: readonly number[],
  { tokenizerJson, tokenizerConfigJson, chatTemplate }: TokenizerFiles,
  dtype: MergedDtype,
): Readonly<Record<string, string>> {
  const texts = {
    ...writeHfConfig(config, endTokenIds, dtype === "BF16" ? "bfloat16" : "float32"),
    "tokenizer.json": tokenizerJson,
    "tokenizer_config.json": tokenizerConfigJson,
    "chat_template.jinja": chatTemplate,
  };
  return Object.fromEntries(
    Object.entries(texts).filter((entry): entry is [string, string] => entry[1] !== null),
  );
}

/** Bytes of model.safetensors, header included. */
export function mergedBytes(request: Pick<MergeRequest, "config" | "dtype">): number {
  const numbers = weightSpecs(request.config).reduce((sum, { shape }) => sum + sizeOf(shape), 0);
  return headerOf(request).length + numbers * ELEMENT_BYTES[request.dtype];
}

/** model.safetensors part by part: the header, then a tensor at a time. A part may be a view of the base's own memory. */
export function* mergedSafetensors(request: MergeRequest): Generator<Uint8Array> {
  const { config, weights, dtype } = request;
  yield headerOf(request);
  const deltas = deltasOf(request);
  for (const { name } of weightSpecs(config)) {
    const weight = defined(weights.get(name), name);
    const base = isBlockTensor(weight) ? dequantizeBlocks(weight) : (weight.data as Float32Array);
    const delta = deltas.get(name);
    const values = delta === undefined ? base : delta(isBlockTensor(weight) ? base : base.slice());
    yield dtype === "F32"
      ? new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
      : new Uint8Array(toBf16(values).buffer);
  }
}

function headerOf({ config, dtype }: Pick<MergeRequest, "config" | "dtype">): Uint8Array {
  let end = 0;
  const entries = weightSpecs(config).map(({ name, shape }) => {
    const start = end;
    end += sizeOf(shape) * ELEMENT_BYTES[dtype];
    return [name, { dtype, shape, data_offsets: [start, end] }] as const;
  });
  const header = { __metadata__: { format: "pt" }, ...Object.fromEntries(entries) };
  const json = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(8 + Math.ceil(json.length / 8) * 8).fill(0x20, 8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(bytes.length - 8), true);
  bytes.set(json, 8);
  return bytes;
}

/** What is added to each adapted weight, in place. */
function deltasOf({ layout, adapter }: MergeRequest): Map<string, (weight: Float32Array) => Float32Array> {
  const deltas = new Map<string, (weight: Float32Array) => Float32Array>();
  for (const [i, a] of layout.entries.entries()) {
    if (a.part === "B") continue;
    const b = defined(layout.entries[i + 1], `B of ${a.module}`);
    const matrix = ({ offset, shape }: LoraEntry): Float32Array =>
      adapter.subarray(offset, offset + shape[0] * shape[1]);
    const product = { A: matrix(a), B: matrix(b), rank: a.shape[0], inputs: a.shape[1], scale: layout.scale };
    deltas.set(linearWeightName(a.layer, a.module), (weight) => addProduct(weight, product));
  }
  return deltas;
}

interface Product {
  /** [rank, inputs] */
  readonly A: Float32Array;
  /** [outputs, rank] */
  readonly B: Float32Array;
  readonly rank: number;
  readonly inputs: number;
  readonly scale: number;
}

/** weight [outputs, inputs] += scale B A, in place. */
function addProduct(weight: Float32Array, { A, B, rank, inputs, scale }: Product): Float32Array {
  for (let row = 0; row * inputs < weight.length; row++) {
    for (let k = 0; k < rank; k++) {
      const factor = scale * (B[row * rank + k] ?? 0);
      for (let i = 0; i < inputs; i++) {
        const at = row * inputs + i;
        weight[at] = (weight[at] ?? 0) + factor * (A[k * inputs + i] ?? 0);
      }
    }
  }
  return weight;
}

/** The nearest BF16 of each value, ties to even. */
function toBf16(values: Float32Array): Uint16Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  return Uint16Array.from(bits, (word) => (word + 0x7fff + ((word >>> 16) & 1)) >>> 16);
}
