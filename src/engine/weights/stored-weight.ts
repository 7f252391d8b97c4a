/**
 * A tensor of a file as it is kept in memory: float32, or a matrix in blocks of 8 or 4 bits. GGML's Q8_0 and Q4_0 have the
 * same blocks of 32 and are taken over value by value; everything else is rounded anew, some rows at a time, so that no
 * whole matrix ever stands in float32.
 */
import type { HostTensor } from "../graph/tensor.ts";
import {
  BLOCK_SIZE,
  type BlockBits,
  blockBytes,
  blocksInRow,
  type BlockTensor,
  quantizeBlocks,
  type WeightTensor,
} from "../graph/block-tensor.ts";
import { checkStored, dequantise, float16, restoreRows } from "./dequantise.ts";
import { brokenWeights, type WeightEntry } from "./weight-file.ts";

/** How a person chooses to hold a model's matrices; vectors are always float32. */
export type WeightStorage = "f32" | "q8" | "q4";

export const STORAGE_BITS: Readonly<Record<WeightStorage, BlockBits | null>> = { f32: null, q8: 8, q4: 4 };

/** Values turned at a time: a multiple of rows whose values fill GGML's largest blocks. */
const ROWS_STEP = 256;
const VALUES_AT_A_TIME = 2 ** 20;

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * The tensor in float32 (`bits` null) or, a matrix, in blocks.
 * @throws PlaygroundError `model-broken` with the tensor's name, as `dequantise`
 */
export function storedWeight(
  entry: WeightEntry,
  bytes: Bytes,
  where: string,
  bits: BlockBits | null,
): WeightTensor {
  const { shape, permutedHeads } = entry;
  if (bits === null || shape.length !== 2) return plainWeight(entry, bytes, where);
  checkStored(entry, bytes, where);
  const [N = 0, K = 0] = shape;
  const dims = [N, K] as const;
  const tensor = takenOver(entry, bytes, dims, bits) ?? rounded(entry, bytes, where, { dims, bits });
  const bad = tensor.scales.findIndex((scale) => !Number.isFinite(scale));
  if (bad !== -1) {
    const got = `${String(tensor.scales[bad])} in row ${Math.floor(bad / blocksInRow(K))}`;
    throw brokenWeights(`${where}: ${entry.name}`, "finite numbers", got);
  }
  return permutedHeads === undefined ? tensor : withRowsRestored(tensor, permutedHeads);
}

function plainWeight(entry: WeightEntry, bytes: Bytes, where: string): HostTensor {
  const values = dequantise(entry, bytes, where);
  const { shape, permutedHeads } = entry;
  const data = permutedHeads === undefined ? values : restoreRows(values, shape, permutedHeads);
  return { dtype: "float32", dims: shape, data };
}

function rounded(
  entry: WeightEntry,
  bytes: Bytes,
  where: string,
  { dims: [N, K], bits }: Pick<BlockTensor, "dims" | "bits">,
): BlockTensor {
  const columns = blocksInRow(K);
  const data = new Uint8Array(N * columns * blockBytes(bits));
  const scales = new Float32Array(N * columns);
  const step = Math.max(1, Math.floor(VALUES_AT_A_TIME / (K * ROWS_STEP))) * ROWS_STEP;
  for (let row = 0; row < N; row += step) {
    const rows = Math.min(step, N - row);
    const from = (bytes.length / N) * row;
    const part = bytes.subarray(from, from + (bytes.length / N) * rows);
    const values = dequantise({ ...entry, shape: [rows, K] }, part, where);
    const blocks = quantizeBlocks(values, [rows, K], bits);
    data.set(blocks.data, row * columns * blockBytes(bits));
    scales.set(blocks.scales, row * columns);
  }
  return { bits, dims: [N, K], data, scales };
}

/** GGML's blocks as ours: a float16 scale, then 32 signed bytes or 16 pairs of values i and i + 16. */
function takenOver(
  { storage }: WeightEntry,
  bytes: Bytes,
  dims: readonly [N: number, K: number],
  bits: BlockBits,
): BlockTensor | null {
  const [N, K] = dims;
  if (K % BLOCK_SIZE !== 0 || (storage !== "Q4_0" && !(storage === "Q8_0" && bits === 8))) return null;
  const copy = storage === "Q8_0" ? copyQ8 : bits === 8 ? widenQ4 : copyQ4;
  const count = (N * K) / BLOCK_SIZE;
  const step = bytes.length / count;
  const data = new Uint8Array(count * blockBytes(bits));
  const scales = new Float32Array(count);
  for (let block = 0; block < count; block++) {
    const at = block * step;
    scales[block] = float16((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8));
    copy(bytes, at + 2, data, block * blockBytes(bits));
  }
  return { bits, dims, data, scales };
}

type CopyBlock = (from: Uint8Array, at: number, to: Uint8Array, start: number) => void;

const copyQ8: CopyBlock = (from, at, to, start) => {
  for (let i = 0; i < BLOCK_SIZE; i++) to[start + i] = (from[at + i] ?? 0) ^ 128; // int8 + 128
};

const nibble = (from: Uint8Array, at: number, i: number): number =>
  ((from[at + (i & 15)] ?? 0) >> (i < 16 ? 0 : 4)) & 15;

const copyQ4: CopyBlock = (from, at, to, start) => {
  for (let i = 0; i < BLOCK_SIZE / 2; i++)
    to[start + i] = nibble(from, at, 2 * i) | (nibble(from, at, 2 * i + 1) << 4);
};

/** Four bits in eight, exactly: the same distance from the middle. */
const widenQ4: CopyBlock = (from, at, to, start) => {
  for (let i = 0; i < BLOCK_SIZE; i++) to[start + i] = nibble(from, at, i) + 120;
};

function withRowsRestored({ bits, dims, data, scales }: BlockTensor, heads: number): BlockTensor {
  const [N, K] = dims;
  const columns = blocksInRow(K);
  return {
    ...{ bits, dims },
    data: restoreRows(data, [N, columns * blockBytes(bits)], heads),
    scales: restoreRows(scales, [N, columns], heads),
  };
}
