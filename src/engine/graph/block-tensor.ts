/**
 * Matrices in blocks of 32 integers with one float32 scale a block: the form that onnxruntime's MatMulNBits multiplies by,
 * w = (q - 2^(bits - 1)) * scale. Rounding follows GGML's quantize_row_q8_0_ref and quantize_row_q4_0_ref (ggml-quants.c),
 * whose blocks therefore map onto this form unchanged. Departure: scales stay float32 where GGML rounds them to float16.
 */
import type { HostTensor } from "./tensor.ts";

/** Values along K that share a scale. */
export const BLOCK_SIZE = 32;

export type BlockBits = 4 | 8;

/** A matrix [N, K] in blocks along K; the last block of a row is filled up with zeros. */
export interface BlockTensor {
  readonly bits: BlockBits;
  readonly dims: readonly [N: number, K: number];
  /** [N, ceil(K/32), 32*bits/8]; of 4 bits, the earlier value is in the low half of a byte. */
  readonly data: Uint8Array;
  /** [N, ceil(K/32)]. */
  readonly scales: Float32Array;
}

/** A base weight as it is kept: as plain numbers or, a matrix, in blocks. */
export type WeightTensor = HostTensor | BlockTensor;

/** True for a weight in blocks. */
export function isBlockTensor(tensor: WeightTensor): tensor is BlockTensor {
  return "scales" in tensor;
}

/** Blocks in a row of K values. */
export function blocksInRow(K: number): number {
  return Math.ceil(K / BLOCK_SIZE);
}

/** Bytes of one block without its scale. */
export function blockBytes(bits: BlockBits): number {
  return (BLOCK_SIZE * bits) / 8;
}

/** Values [N, K], finite, as blocks; the largest error is half a scale (4 bits: a whole one at one end). */
export function quantizeBlocks(
  values: Float32Array,
  dims: readonly [N: number, K: number],
  bits: BlockBits,
): BlockTensor {
  const [N, K] = dims;
  const columns = blocksInRow(K);
  const data = new Uint8Array(N * columns * blockBytes(bits));
  const scales = new Float32Array(N * columns);
  const quantize = bits === 8 ? quantize8 : quantize4;
  for (let row = 0, block = 0; row < N; row++) {
    for (let start = 0; start < K; start += BLOCK_SIZE, block++) {
      const from = row * K + start;
      const within = values.subarray(from, from + Math.min(BLOCK_SIZE, K - start));
      scales[block] = quantize(within, data, block * blockBytes(bits));
    }
  }
  return { bits, dims, data, scales };
}

/** Writes a block's bytes and gives its scale: the largest magnitude becomes 127. */
function quantize8(values: Float32Array, out: Uint8Array, at: number): number {
  let largest = 0;
  for (let i = 0; i < values.length; i++) largest = Math.max(largest, Math.abs(values[i] ?? 0));
  const scale = Math.fround(largest / 127);
  const inverse = scale === 0 ? 0 : Math.fround(1 / scale);
  out.fill(128, at, at + BLOCK_SIZE);
  for (let i = 0; i < values.length; i++) {
    const q = roundHalfAway(Math.fround((values[i] ?? 0) * inverse));
    out[at + i] = Math.max(-128, Math.min(127, q)) + 128;
  }
  return scale;
}

/** As `quantize8` for 4 bits: the value of the largest magnitude becomes -8, whatever its sign, so that all 16 are used. */
function quantize4(values: Float32Array, out: Uint8Array, at: number): number {
  let extreme = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? 0;
    if (Math.abs(value) > Math.abs(extreme)) extreme = value;
  }
  const scale = Math.fround(extreme / -8);
  const inverse = scale === 0 ? 0 : Math.fround(1 / scale);
  const q = (i: number): number => Math.min(15, Math.floor((values[i] ?? 0) * inverse + 8.5));
  for (let i = 0; i < BLOCK_SIZE / 2; i++) out[at + i] = q(2 * i) | (q(2 * i + 1) << 4);
  return scale;
}

/** C's roundf. */
function roundHalfAway(x: number): number {
  return x < 0 ? -Math.floor(0.5 - x) : Math.floor(x + 0.5);
}

/** The values [N, K] that the blocks stand for: float32(q - 2^(bits - 1)) * scale, as every runtime computes them. */
export function dequantizeBlocks({ bits, dims, data, scales }: BlockTensor): Float32Array {
  const [N, K] = dims;
  const columns = blocksInRow(K);
  const out = new Float32Array(N * K);
  const zero = 2 ** (bits - 1);
  for (let row = 0; row < N; row++) {
    for (let k = 0; k < K; k++) {
      const block = row * columns + Math.floor(k / BLOCK_SIZE);
      const within = k % BLOCK_SIZE;
      const place = block * blockBytes(bits) + (bits === 8 ? within : within >> 1);
      const byte = data[place] ?? 0;
      const q = bits === 8 ? byte : (byte >> (4 * (within & 1))) & 15;
      out[row * K + k] = (q - zero) * (scales[block] ?? 0);
    }
  }
  return out;
}
