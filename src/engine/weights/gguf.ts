/**
 * Reads a GGUF file's header: metadata and the places of its tensors, by their own names. Version 2 and 3, little-endian.
 * Source: ggml's docs/gguf.md. Knows no model; what the names mean stands in gguf-model.ts.
 */
import type { RangedFile, ReadOptions } from "./model-source.ts";
import { brokenWeights } from "./weight-file.ts";

export type GgufValue = number | bigint | boolean | string | readonly GgufValue[];

export interface GgufTensor {
  readonly name: string;
  /** Outermost first, as Hugging Face writes shapes; the file has them the other way round. */
  readonly shape: readonly number[];
  /** "F32", "Q4_K" ...; "type 99" for one that is not known. */
  readonly storage: string;
  /** From the file's start. */
  readonly offset: number;
}

export interface GgufHeader {
  readonly metadata: ReadonlyMap<string, GgufValue>;
  readonly tensors: readonly GgufTensor[];
}

const MAGIC = 0x46554747; // "GGUF"
const DEFAULT_ALIGNMENT = 32;
/** A header is read in steps of this: most are smaller, one with a vocabulary of 150,000 has about 6 MB. */
const STEP_BYTES = 4 * 2 ** 20;
const MOST_HEADER_BYTES = 256 * 2 ** 20;
const MOST_DIMENSIONS = 4;
/** Far above any model's; a count beyond it is damage. */
const MOST_TENSORS = 1e6;
/** Lists in lists: the format allows any depth, no writer uses more than one. */
const DEEPEST_LIST = 8;

/** ggml_type. */
const STORAGE_OF: Readonly<Record<number, string>> = {
  0: "F32",
  1: "F16",
  2: "Q4_0",
  3: "Q4_1",
  6: "Q5_0",
  7: "Q5_1",
  8: "Q8_0",
  9: "Q8_1",
  10: "Q2_K",
  11: "Q3_K",
  12: "Q4_K",
  13: "Q5_K",
  14: "Q6_K",
  15: "Q8_K",
  30: "BF16",
};

/** Reading past the bytes at hand: more have to be fetched. */
class NeedsMore extends Error {}

/** @throws PlaygroundError `model-broken` with the place, `model-fetch-failed`, `aborted`. */
export async function readGgufHeader(
  file: RangedFile,
  where: string,
  options: ReadOptions = {},
): Promise<GgufHeader> {
  for (let bytes = STEP_BYTES; ; bytes *= 2) {
    const length = Math.min(bytes, file.sizeBytes);
    const start = await file.read(0, length, options);
    try {
      return parseHeader(new Cursor(start), where);
    } catch (error) {
      if (!(error instanceof NeedsMore)) throw error;
      if (length === file.sizeBytes)
        throw brokenWeights(where, "a whole GGUF header", `a file of ${length} bytes`);
      if (length >= MOST_HEADER_BYTES) {
        throw brokenWeights(where, `a GGUF header of at most ${MOST_HEADER_BYTES} bytes`, "a longer one");
      }
    }
  }
}

class Cursor {
  at = 0;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  take(length: number): number {
    const { at } = this;
    if (at + length > this.#bytes.length) throw new NeedsMore();
    this.at += length;
    return at;
  }

  u32(): number {
    return this.#view.getUint32(this.take(4), true);
  }

  /** A count or an offset. */
  size(where: string): number {
    const value = this.#view.getBigUint64(this.take(8), true);
    if (value > BigInt(Number.MAX_SAFE_INTEGER))
      throw brokenWeights(where, "a size below 2^53", value.toString());
    return Number(value);
  }

  text(where: string): string {
    const length = this.size(where);
    if (length > MOST_HEADER_BYTES)
      throw brokenWeights(where, "a text in the header", `one of ${length} bytes`);
    const at = this.take(length);
    return new TextDecoder().decode(this.#bytes.subarray(at, at + length));
  }

  scalar(type: number): GgufValue | undefined {
    const view = this.#view;
    const readers: Readonly<Record<number, () => GgufValue>> = {
      0: () => view.getUint8(this.take(1)),
      1: () => view.getInt8(this.take(1)),
      2: () => view.getUint16(this.take(2), true),
      3: () => view.getInt16(this.take(2), true),
      4: () => view.getUint32(this.take(4), true),
      5: () => view.getInt32(this.take(4), true),
      6: () => view.getFloat32(this.take(4), true),
      7: () => view.getUint8(this.take(1)) !== 0,
      10: () => view.getBigUint64(this.take(8), true),
      11: () => view.getBigInt64(this.take(8), true),
      12: () => view.getFloat64(this.take(8), true),
    };
    return readers[type]?.();
  }
}

function parseHeader(cursor: Cursor, where: string): GgufHeader {
  if (cursor.u32() !== MAGIC)
    throw brokenWeights(where, "a GGUF file", "a file that begins with other bytes");
  const version = cursor.u32();
  if (version !== 2 && version !== 3) throw brokenWeights(where, "GGUF version 2 or 3", `version ${version}`);
  const [tensorCount, valueCount] = [cursor.size(where), cursor.size(where)];
  if (tensorCount > MOST_TENSORS)
    throw brokenWeights(where, `at most ${MOST_TENSORS} tensors`, `${tensorCount}`);
  const metadata = new Map<string, GgufValue>();
  for (let i = 0; i < valueCount; i++) {
    const key = cursor.text(where);
    const here = `${where}: ${key}`;
    if (metadata.has(key)) throw brokenWeights(here, "each key once", "the key twice");
    metadata.set(key, readValue(cursor, cursor.u32(), here));
  }
  const raw = Array.from({ length: tensorCount }, () => readTensor(cursor, where));
  const alignment = alignmentOf(metadata.get(ALIGNMENT) ?? DEFAULT_ALIGNMENT, where);
  const dataStart = Math.ceil(cursor.at / alignment) * alignment;
  const tensors = raw.map((tensor) => {
    if (tensor.offset % alignment === 0) return { ...tensor, offset: dataStart + tensor.offset };
    throw brokenWeights(`${where}: ${tensor.name}`, `an offset in steps of ${alignment}`, `${tensor.offset}`);
  });
  return { metadata, tensors };
}

const ALIGNMENT = "general.alignment";

/** @throws PlaygroundError where it is no multiple of 8: the tensors' places hang on it. */
function alignmentOf(stated: GgufValue, where: string): number {
  const alignment = typeof stated === "bigint" ? Number(stated) : stated;
  if (typeof alignment === "number" && alignment > 0 && alignment % 8 === 0) return alignment;
  throw brokenWeights(`${where}: ${ALIGNMENT}`, "a multiple of 8", String(stated));
}

const TEXT = 8;
const ARRAY = 9;

function readValue(cursor: Cursor, type: number, where: string, depth = 0): GgufValue {
  if (type === TEXT) return cursor.text(where);
  if (type === ARRAY) {
    if (depth === DEEPEST_LIST)
      throw brokenWeights(where, `lists ${DEEPEST_LIST} deep at most`, "deeper ones");
    const itemType = cursor.u32();
    const length = cursor.size(where);
    const items: GgufValue[] = [];
    for (let i = 0; i < length; i++) items.push(readValue(cursor, itemType, where, depth + 1));
    return items;
  }
  const value = cursor.scalar(type);
  if (value === undefined) throw brokenWeights(where, "a value type from 0 to 12", `type ${type}`);
  return value;
}

function readTensor(cursor: Cursor, where: string): GgufTensor {
  const name = cursor.text(where);
  const here = `${where}: ${name}`;
  const dimensions = cursor.u32();
  if (dimensions > MOST_DIMENSIONS) {
    throw brokenWeights(here, `at most ${MOST_DIMENSIONS} dimensions`, `${dimensions}`);
  }
  const shape = Array.from({ length: dimensions }, () => cursor.size(here)).reverse();
  const type = cursor.u32();
  return { name, shape, storage: STORAGE_OF[type] ?? `type ${type}`, offset: cursor.size(here) };
}
