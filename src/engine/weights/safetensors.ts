/**
 * Reads and writes safetensors files: an 8-byte little-endian header length, a JSON header, then bytes. Every rule of
 * the format is checked before a byte is believed; tensors come out as float32. Knows no model.
 * Departures: F64, F8 and integer tensors are refused when they are read as float32, with their name.
 * Typed arrays are laid over copies (offsets may be unaligned) on little-endian machines, the only ones with WASM.
 */
import { z } from "zod";
import { PlaygroundError } from "../../base/errors.ts";
import { type HostTensor, sizeOf } from "../graph/tensor.ts";
import { dequantise } from "./dequantise.ts";
import { brokenWeights } from "./weight-file.ts";

/** Bytes an element of each dtype that the format knows. */
const ELEMENT_BYTES: Readonly<Record<string, number>> = {
  BOOL: 1,
  U8: 1,
  I8: 1,
  F8_E5M2: 1,
  F8_E4M3: 1,
  I16: 2,
  U16: 2,
  F16: 2,
  BF16: 2,
  I32: 4,
  U32: 4,
  F32: 4,
  F64: 8,
  I64: 8,
  U64: 8,
};
/** The reference implementation's limit. */
const MAX_HEADER_BYTES = 100_000_000;
const entrySchema = z.strictObject({
  dtype: z.string(),
  shape: z.array(z.int().nonnegative()),
  data_offsets: z.tuple([z.int().nonnegative(), z.int().nonnegative()]),
});
/** What is read as numbers. */
const FLOATS: readonly string[] = ["F32", "F16", "BF16"];
const metadataSchema = z.record(z.string(), z.string());

export interface SafetensorsEntry {
  readonly name: string;
  /** As the file says: "F32", "F16", "BF16", "I32" ... */
  readonly dtype: string;
  readonly shape: readonly number[];
  /** The tensor's own bytes, a view on the file; not aligned. */
  readonly bytes: Uint8Array;
}

export interface SafetensorsFile {
  /** In the order of the bytes. */
  readonly entries: ReadonlyMap<string, SafetensorsEntry>;
  /** The free `__metadata__` texts, e.g. { format: "pt" }. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** A tensor's place in a file. */
export interface SafetensorsPlace extends Omit<SafetensorsEntry, "bytes"> {
  /** Bytes [start, end) from the file's start. */
  readonly start: number;
  readonly end: number;
}

/**
 * Parses a whole file. `where` names it in errors.
 * @throws PlaygroundError `model-broken` with the tensor's name: truncated or malformed header, unknown dtype, offsets that
 * overlap, leave a gap, run past the end or disagree with the shape.
 */
export function parseSafetensors(file: Uint8Array, where: string): SafetensorsFile {
  const { places, metadata } = parseSafetensorsHeader(file, file.length, where);
  const entries = new Map(
    places.map(({ start, end, ...entry }) => [entry.name, { ...entry, bytes: file.subarray(start, end) }]),
  );
  return { entries, metadata };
}

/** Bytes of the header with the length before it, from a file's first eight; the same errors. */
export function safetensorsHeaderBytes(file: Uint8Array, fileBytes: number, where: string): number {
  if (file.length < 8)
    throw brokenWeights(where, "a safetensors file of at least 8 bytes", `${file.length} bytes`);
  const length = new DataView(file.buffer, file.byteOffset, 8).getBigUint64(0, true);
  if (length > BigInt(MAX_HEADER_BYTES)) {
    throw brokenWeights(
      where,
      `a header of at most ${MAX_HEADER_BYTES} bytes`,
      `a length of ${length.toString()}`,
    );
  }
  const bytes = 8 + Number(length);
  if (bytes > fileBytes) {
    throw brokenWeights(
      where,
      `a header of ${length.toString()} bytes`,
      `a file that ends after ${fileBytes}`,
    );
  }
  return bytes;
}

/**
 * The tensors' places in the order of the bytes, from the header (`start` is the file's beginning, the header included) of a
 * file of `fileBytes` bytes; the same errors.
 */
export function parseSafetensorsHeader(
  start: Uint8Array,
  fileBytes: number,
  where: string,
): { readonly places: readonly SafetensorsPlace[]; readonly metadata: Readonly<Record<string, string>> } {
  const dataStart = safetensorsHeaderBytes(start, fileBytes, where);
  const header = readHeader(start.subarray(8, dataStart), where);
  const metadata = header["__metadata__"] === undefined ? {} : readMetadata(header["__metadata__"], where);
  const raw = Object.entries(header)
    .filter(([name]) => name !== "__metadata__")
    .map(([name, value]) => ({ name, ...readEntry(name, value, where) }))
    .sort((a, b) => a.data_offsets[0] - b.data_offsets[0] || a.data_offsets[1] - b.data_offsets[1]);
  const limit = fileBytes - dataStart;
  let end = 0;
  const places = raw.map(({ name, dtype, shape, data_offsets }) => {
    checkExtent({ name, dtype, shape, data_offsets, end, limit }, where);
    end = data_offsets[1];
    return { name, dtype, shape, start: dataStart + data_offsets[0], end: dataStart + end };
  });
  if (end !== limit)
    throw brokenWeights(where, `${end} bytes of tensors, as the header says`, `${limit} bytes`);
  return { places, metadata };
}

/**
 * The values as float32, in memory of their own. F16 and BF16 widen exactly.
 * @throws PlaygroundError `model-broken` for any other dtype, and for NaN or infinite values.
 */
export function toFloat32(entry: SafetensorsEntry, where: string): HostTensor {
  const { name, dtype, shape } = entry;
  if (!FLOATS.includes(dtype)) throw brokenWeights(`${where}: ${name}`, "F32, F16 or BF16 numbers", dtype);
  return {
    dtype: "float32",
    dims: shape,
    data: dequantise({ name, shape, storage: dtype }, entry.bytes.slice(), where),
  };
}

/** A file of float32 and int32 tensors in the map's order; the header is padded so that the data starts at a multiple of 8. */
export function writeSafetensors(
  tensors: ReadonlyMap<string, HostTensor>,
  metadata: Readonly<Record<string, string>> = { format: "pt" },
): Uint8Array {
  const header: Record<string, unknown> = { __metadata__: metadata };
  let end = 0;
  for (const [name, { dtype, dims, data }] of tensors) {
    if (dtype !== "float32" && dtype !== "int32")
      throw brokenWeights(name, "float32 or int32 to write", dtype);
    if (data.length !== sizeOf(dims)) {
      throw brokenWeights(name, `${sizeOf(dims)} values for [${dims.join(", ")}]`, `${data.length}`);
    }
    const start = end;
    end += data.byteLength;
    header[name] = { dtype: dtype === "float32" ? "F32" : "I32", shape: dims, data_offsets: [start, end] };
  }
  const json = new TextEncoder().encode(JSON.stringify(header));
  const headerBytes = Math.ceil(json.length / 8) * 8;
  const file = new Uint8Array(8 + headerBytes + end).fill(0x20, 8, 8 + headerBytes);
  new DataView(file.buffer).setBigUint64(0, BigInt(headerBytes), true);
  file.set(json, 8);
  let at = 8 + headerBytes;
  for (const { data } of tensors.values()) {
    file.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
    at += data.byteLength;
  }
  return file;
}

function readHeader(json: Uint8Array, where: string): Record<string, unknown> {
  let header: unknown;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(json);
    header = parseWithoutDuplicates(text, where);
  } catch (cause) {
    if (cause instanceof PlaygroundError) throw cause;
    throw brokenWeights(where, "a header in JSON", cause instanceof Error ? cause.message : String(cause));
  }
  if (typeof header !== "object" || header === null || Array.isArray(header)) {
    throw brokenWeights(where, "a JSON object as header", "something else");
  }
  return header as Record<string, unknown>;
}

/** JSON.parse keeps the last of two equal names silently; a tensor named twice is refused instead. */
function parseWithoutDuplicates(text: string, where: string): unknown {
  const header: unknown = JSON.parse(text);
  const names = new Set<string>();
  // A name of the outermost object is a string at depth 1 that a colon follows.
  let depth = 0;
  for (const match of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g)) {
    const [token, colon] = match;
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    else if (depth === 1 && colon !== undefined) {
      const name = JSON.parse(token.slice(0, -colon.length)) as string;
      if (names.has(name)) throw brokenWeights(`${where}: ${name}`, "each tensor once", "the name twice");
      names.add(name);
    }
  }
  return header;
}

function readMetadata(value: unknown, where: string): Record<string, string> {
  const parsed = metadataSchema.safeParse(value);
  if (!parsed.success) throw brokenWeights(`${where}: __metadata__`, "texts by name", "something else");
  return parsed.data;
}

function readEntry(name: string, value: unknown, where: string): z.infer<typeof entrySchema> {
  const parsed = entrySchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw brokenWeights(
    `${where}: ${name}`,
    "dtype, shape and data_offsets",
    `${issue?.path.join(".") ?? ""} ${issue?.message ?? "something else"}`.trim(),
  );
}

interface Extent extends z.infer<typeof entrySchema> {
  readonly name: string;
  /** Where the tensor before it ends. */
  readonly end: number;
  /** Bytes of data in the file. */
  readonly limit: number;
}

function checkExtent({ name, dtype, shape, data_offsets: [start, stop], end, limit }: Extent, where: string) {
  const here = `${where}: ${name}`;
  const range = `${start} to ${stop}`;
  const elementBytes = ELEMENT_BYTES[dtype];
  if (elementBytes === undefined) {
    throw brokenWeights(here, `a dtype among ${Object.keys(ELEMENT_BYTES).join(", ")}`, dtype);
  }
  if (stop < start) throw brokenWeights(here, "offsets in order", range);
  if (stop > limit) throw brokenWeights(here, `offsets within the ${limit} bytes of data`, range);
  if (start < end) throw brokenWeights(here, `offsets from ${end} on, after the tensor before it`, range);
  if (start > end) throw brokenWeights(here, `no gap: offsets from ${end} on`, range);
  const bytes = sizeOf(shape) * elementBytes;
  if (stop - start !== bytes) {
    throw brokenWeights(here, `${bytes} bytes for ${dtype} [${shape.join(", ")}]`, `${stop - start}`);
  }
}
