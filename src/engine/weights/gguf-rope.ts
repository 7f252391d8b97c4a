/**
 * What a GGUF file says of RoPE, in config.json's fields, and `rope_freqs.weight`. Defaults as in llama.cpp's llama-model.cpp
 * and llama-context.cpp: a factor without a type is linear, `attn_factor` multiplies YaRN's own attention scaling.
 */
import type { RangedFile } from "./model-source.ts";
import { dequantise } from "./dequantise.ts";
import type { GgufTensor } from "./gguf.ts";
import { unsupportedConfig } from "./config-faults.ts";
import { brokenWeights } from "./weight-file.ts";

/** ggml's factors of each frequency, as Llama 3.1's files bring them. */
export const ROPE_FREQS = "rope_freqs.weight";

/** A file's metadata of `rope.*`; absent = undefined. */
export interface RopeMetadata {
  readonly where: string;
  readonly number: (key: string) => number | undefined;
  readonly text: (key: string) => string | undefined;
}

/** `rope_theta`, with `rope_scaling` where it is scaled. @throws PlaygroundError `model-unsupported` */
export function ropeConfig(rope: RopeMetadata, headDim: number): Readonly<Record<string, unknown>> {
  const { where, number } = rope;
  const rotated = number("dimension_count");
  if (rotated !== undefined && !Number.isNaN(headDim) && rotated !== headDim) {
    throw unsupportedConfig(`${where}: rope.dimension_count`, `${headDim}`, `${rotated}`);
  }
  const scaling = scalingOf(rope);
  return { rope_theta: number("freq_base"), ...(scaling && { rope_scaling: scaling }) };
}

function scalingOf(rope: RopeMetadata): object | null {
  const { where, number } = rope;
  const factor = number("scaling.factor") ?? number("scale_linear") ?? 0;
  const type = rope.text("scaling.type") ?? "linear";
  const attention = (number("scaling.attn_factor") ?? 1) * (number("scaling.yarn_attn_factor") ?? 1);
  if (type === "none" || (type === "linear" && factor === 0)) return null;
  if (type === "yarn") return { rope_type: type, factor, ...yarnFields(rope, factor, attention) };
  if (attention === 1) return { rope_type: type, factor };
  throw unsupportedConfig(`${where}: rope.scaling.attn_factor`, `1 with ${type} scaling`, `${attention}`);
}

function yarnFields({ where, number }: RopeMetadata, factor: number, attention: number): object {
  const other = [
    ["scaling.yarn_log_multiplier", 0],
    ["scaling.yarn_ext_factor", 1],
  ] as const;
  for (const [key, plain] of other) {
    const got = number(key) ?? plain;
    if (got !== plain) throw unsupportedConfig(`${where}: rope.${key}`, `${plain}`, `${got}`);
  }
  return {
    original_max_position_embeddings: number("scaling.original_context_length"),
    beta_fast: number("scaling.yarn_beta_fast"),
    beta_slow: number("scaling.yarn_beta_slow"),
    ...(attention === 1 ? {} : { attention_factor: attention * (1 + 0.1 * Math.log(factor)) }),
  };
}

/** The factors of `rope_freqs.weight`, [Dh / 2]; undefined where the file has none. */
export async function readRopeFactors(
  tensors: readonly GgufTensor[],
  file: RangedFile,
  { where, headDim }: { readonly where: string; readonly headDim: number },
): Promise<readonly number[] | undefined> {
  const tensor = tensors.find(({ name }) => name === ROPE_FREQS);
  if (tensor === undefined) return undefined;
  const { name, storage, shape, offset } = tensor;
  const at = `${where}: ${name}`;
  if (storage !== "F32" || shape.join() !== `${headDim / 2}`) {
    throw brokenWeights(at, `F32 [${headDim / 2}]`, `${storage} [${shape.join(", ")}]`);
  }
  const sizeBytes = 2 * headDim;
  const bytes = new Uint8Array(await file.read(offset, offset + sizeBytes));
  const factors = dequantise({ name, shape, storage }, bytes, where);
  if (factors.some((factor) => !(factor > 0))) throw brokenWeights(at, "factors above 0", "another number");
  return [...factors];
}
