/**
 * Stored numbers as float32. GGML's blocks are computed in float32 step by step, in the order of the `gguf` package, whose
 * results they equal bit for bit. A block of 32 (Q*_0, Q*_1) or 256 (Q*_K) values shares its scales; d and m are float16.
 */
import { sizeOf } from "../graph/tensor.ts";
import { brokenWeights, type Storage, STORAGES } from "./weight-file.ts";

interface BlockFormat {
  /** Values and bytes of a block. */
  readonly values: number;
  readonly bytes: number;
  /** Writes a block's values. */
  readonly decode: (view: DataView, at: number, out: Float32Array, to: number) => void;
}

const { fround } = Math;

const FLOAT_BYTES = { F32: 4, F16: 2, BF16: 2 } as const;

function isFloat(storage: Storage): storage is keyof typeof FLOAT_BYTES {
  return Object.hasOwn(FLOAT_BYTES, storage);
}

/** Bytes that so many values take; null where they do not fill blocks. */
export function storedBytes(storage: Storage, count: number): number | null {
  if (isFloat(storage)) return count * FLOAT_BYTES[storage];
  const { values, bytes } = BLOCKS[storage];
  return count % values === 0 ? (count / values) * bytes : null;
}

export function isStorage(name: string): name is Storage {
  return (STORAGES as readonly string[]).includes(name);
}

export interface StoredTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly storage: string;
}

/**
 * The values of one tensor, float32.
 * @throws PlaygroundError `model-broken` with the tensor's name: a storage that is not known, too few bytes, NaN or infinite values.
 */
export function dequantise(
  tensor: StoredTensor,
  bytes: Uint8Array<ArrayBuffer>,
  where: string,
): Float32Array {
  const here = `${where}: ${tensor.name}`;
  const storage = checkStored(tensor, bytes, where);
  const count = sizeOf(tensor.shape);
  const values = isFloat(storage)
    ? widen(storage, bytes, count)
    : decodeBlocks(BLOCKS[storage], bytes, count);
  const bad = values.findIndex((value) => !Number.isFinite(value));
  if (bad !== -1) throw brokenWeights(here, "finite numbers", `${String(values[bad])} at element ${bad}`);
  return values;
}

/** The tensor's storage. @throws PlaygroundError `model-broken` where it is not known or has other bytes. */
export function checkStored(
  { name, storage, shape }: StoredTensor,
  bytes: Uint8Array,
  where: string,
): Storage {
  const here = `${where}: ${name}`;
  if (!isStorage(storage)) throw brokenWeights(here, `numbers stored as ${STORAGES.join(", ")}`, storage);
  const needed = storedBytes(storage, sizeOf(shape));
  if (needed !== bytes.length) {
    throw brokenWeights(here, `${needed ?? "whole blocks of"} bytes of ${storage}`, `${bytes.length}`);
  }
  return storage;
}

/** Floats as float32, in the bytes' own memory where they are that already. */
function widen(
  storage: keyof typeof FLOAT_BYTES,
  bytes: Uint8Array<ArrayBuffer>,
  count: number,
): Float32Array {
  const { buffer, byteOffset } = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  if (storage === "F32") return new Float32Array(buffer, byteOffset, count);
  const halves = new Uint16Array(buffer, byteOffset, count);
  if (storage === "F16") return Float32Array.from(halves, float16);
  const words = new Uint32Array(count);
  for (let i = 0; i < count; i++) words[i] = (halves[i] ?? 0) << 16;
  return new Float32Array(words.buffer);
}

function decodeBlocks(
  { values, bytes: step, decode }: BlockFormat,
  bytes: Uint8Array,
  count: number,
): Float32Array {
  const out = new Float32Array(count);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0, to = 0; to < count; at += step, to += values) decode(view, at, out, to);
  return out;
}

/** IEEE 754 binary16. */
export function float16(half: number): number {
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  const sign = half & 0x8000 ? -1 : 1;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

const half = (view: DataView, at: number): number => float16(view.getUint16(at, true));

/** 32 values of 4 bits: the first 16 in the low halves of 16 bytes, the others in the high halves. */
const nibble = (view: DataView, at: number, i: number): number =>
  (view.getUint8(at + (i & 15)) >> (i < 16 ? 0 : 4)) & 15;

function decodeQ4(view: DataView, at: number, out: Float32Array, to: number): void {
  const d = half(view, at);
  for (let i = 0; i < 32; i++) out[to + i] = d * (nibble(view, at + 2, i) - 8);
}

function decodeQ4WithMinimum(view: DataView, at: number, out: Float32Array, to: number): void {
  const [d, m] = [half(view, at), half(view, at + 2)];
  for (let i = 0; i < 32; i++) out[to + i] = fround(d * nibble(view, at + 4, i)) + m;
}

/** The fifth bits of 32 values stand in 32 bits before their nibbles. */
const fiveBits = (view: DataView, at: number, i: number): number =>
  nibble(view, at + 4, i) | (((view.getUint32(at, true) >>> i) & 1) << 4);

function decodeQ5(view: DataView, at: number, out: Float32Array, to: number): void {
  const d = half(view, at);
  for (let i = 0; i < 32; i++) out[to + i] = d * (fiveBits(view, at + 2, i) - 16);
}

function decodeQ5WithMinimum(view: DataView, at: number, out: Float32Array, to: number): void {
  const [d, m] = [half(view, at), half(view, at + 2)];
  for (let i = 0; i < 32; i++) out[to + i] = fround(d * fiveBits(view, at + 4, i)) + m;
}

function decodeQ8(view: DataView, at: number, out: Float32Array, to: number): void {
  const d = half(view, at);
  for (let i = 0; i < 32; i++) out[to + i] = view.getInt8(at + 2 + i) * d;
}

/** Scale and minimum of one of a K block's eight groups of 32, six bits each in twelve bytes. */
function scaleAndMinimum(view: DataView, at: number, group: number): readonly [number, number] {
  const byte = (i: number): number => view.getUint8(at + i);
  if (group < 4) return [byte(group) & 63, byte(group + 4) & 63];
  const low = byte(group + 4);
  return [(low & 15) | ((byte(group - 4) >> 2) & 48), (low >> 4) | ((byte(group) >> 2) & 48)];
}

/** Q4_K and Q5_K: `highs` is where the fifth bits stand, null where there are none. */
function decodeKWithMinima(bits: 4 | 5) {
  return (view: DataView, at: number, out: Float32Array, to: number): void => {
    const [d, dmin] = [half(view, at), half(view, at + 2)];
    const lows = at + (bits === 5 ? 48 : 16);
    for (let group = 0; group < 8; group++) {
      const [scale, minimum] = scaleAndMinimum(view, at + 4, group);
      const [step, offset] = [fround(d * scale), fround(dmin * minimum)];
      for (let i = 0; i < 32; i++) {
        const low = (view.getUint8(lows + 32 * (group >> 1) + i) >> (4 * (group & 1))) & 15;
        const high = bits === 5 ? (view.getUint8(at + 16 + i) >> group) & 1 : 0;
        out[to + 32 * group + i] = fround(step * (low | (high << 4))) - offset;
      }
    }
  };
}

/** Six bits: 128 bytes of lower nibbles, 64 of upper pairs, sixteen scales of int8, d. */
function decodeQ6K(view: DataView, at: number, out: Float32Array, to: number): void {
  const d = half(view, at + 208);
  for (let i = 0; i < 256; i++) {
    const scale = fround(d * view.getInt8(at + 192 + (i >> 4)));
    const within = i & 127; // two halves of 128 values
    const lows = at + 64 * (i >> 7) + (within & 63);
    const highs = at + 128 + 32 * (i >> 7) + (within & 31);
    const low = (view.getUint8(lows) >> (within < 64 ? 0 : 4)) & 15;
    const high = (view.getUint8(highs) >> (2 * (within >> 5))) & 3;
    out[to + i] = scale * ((low | (high << 4)) - 32);
  }
}

const BLOCKS: Readonly<Record<Exclude<Storage, keyof typeof FLOAT_BYTES>, BlockFormat>> = {
  Q8_0: { values: 32, bytes: 34, decode: decodeQ8 },
  Q4_0: { values: 32, bytes: 18, decode: decodeQ4 },
  Q4_1: { values: 32, bytes: 20, decode: decodeQ4WithMinimum },
  Q5_0: { values: 32, bytes: 22, decode: decodeQ5 },
  Q5_1: { values: 32, bytes: 24, decode: decodeQ5WithMinimum },
  Q4_K: { values: 256, bytes: 144, decode: decodeKWithMinima(4) },
  Q5_K: { values: 256, bytes: 176, decode: decodeKWithMinima(5) },
  Q6_K: { values: 256, bytes: 210, decode: decodeQ6K },
};

/**
 * llama.cpp keeps the rows of q and k of llama-type models in pairs (2i, 2i+1) where Hugging Face has halves (i, i + Dh/2):
 * row (h, i, j) becomes (h, j, i), for a weight [H*Dh, in], its blocks [H*Dh, bytes] and a bias [H*Dh].
 */
export function restoreRows<Values extends Float32Array | Uint8Array>(
  values: Values,
  shape: readonly number[],
  heads: number,
): Values {
  const [rows = 0, width = 1] = shape;
  const headRows = rows / heads;
  const out = values.slice() as Values;
  for (let row = 0; row < rows; row++) {
    const [head, within] = [Math.floor(row / headRows), row % headRows];
    const target = head * headRows + (within % 2) * (headRows / 2) + Math.floor(within / 2);
    out.set(values.subarray(row * width, (row + 1) * width), target * width);
  }
  return out;
}
