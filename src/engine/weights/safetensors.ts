/**
 * Reads and writes safetensors files: an 8-byte little-endian header length, a JSON header, then bytes. Every rule of
 * the format is checked before a byte is believed; tensors come out as float32. Knows no model.
 * Departures: F64, F8 and integer tensors are refused when they are read as float32, with their name.
 * Typed arrays are laid over copies (offsets may be unaligned) on little-endian machines, the only ones with WASM.
 */
import { z } from "zod";
import { PlaygroundError } from "../../base/errors.ts";
import { type HostTensor, sizeOf } from "../graph/tensor.ts";

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

/**
 * Parses a whole file. `where` names it in errors.
 * @throws PlaygroundError `model-broken` with the tensor's name: truncated or malformed header, unknown dtype, offsets that
 * overlap, leave a gap, run past the end or disagree with the shape.
 */
export function parseSafetensors(file: Uint8Array, where: string): SafetensorsFile {
  const { header, dataStart } = readHeader(file, where);
  const metadata = header["__metadata__"] === undefined ? {} : readMetadata(header["__metadata__"], where);
  const raw = Object.entries(header)
    .filter(([name]) => name !== "__metadata__")
    .map(([name, value]) => ({ name, ...readEntry(name, value, where) }))
    .sort((a, b) => a.data_offsets[0] - b.data_offsets[0] || a.data_offsets[1] - b.data_offsets[1]);
  const data = file.subarray(dataStart);
  const entries = new Map<string, SafetensorsEntry>();
  let end = 0;
  for (const { name, dtype, shape, data_offsets } of raw) {
    checkExtent({ name, dtype, shape, data_offsets, end, limit: data.length }, where);
    end = data_offsets[1];
    entries.set(name, { name, dtype, shape, bytes: data.subarray(...data_offsets) });
  }
  if (end !== data.length) {
    throw broken(where, `${end} bytes of tensors, as the header says`, `${data.length} bytes`);
  }
  return { entries, metadata };
}

/**
 * The values as float32, in memory of their own. F16 and BF16 widen exactly.
 * @throws PlaygroundError `model-broken` for any other dtype, and for NaN or infinite values.
 */
export function toFloat32(entry: SafetensorsEntry, where: string): HostTensor {
  const bytes = entry.bytes.slice();
  const count = sizeOf(entry.shape);
  let data: Float32Array;
  if (entry.dtype === "F32") data = new Float32Array(bytes.buffer, 0, count);
  else if (entry.dtype === "BF16") data = widenBfloat16(new Uint16Array(bytes.buffer, 0, count));
  else if (entry.dtype === "F16") data = widenFloat16(new Uint16Array(bytes.buffer, 0, count));
  else throw broken(`${where}: ${entry.name}`, "F32, F16 or BF16 numbers", entry.dtype);
  const bad = data.findIndex((value) => !Number.isFinite(value));
  if (bad !== -1) {
    throw broken(`${where}: ${entry.name}`, "finite numbers", `${String(data[bad])} at element ${bad}`);
  }
  return { dtype: "float32", dims: entry.shape, data };
}

/** A file of float32 and int32 tensors in the map's order; the header is padded so that the data starts at a multiple of 8. */
export function writeSafetensors(
  tensors: ReadonlyMap<string, HostTensor>,
  metadata: Readonly<Record<string, string>> = { format: "pt" },
): Uint8Array {
  const header: Record<string, unknown> = { __metadata__: metadata };
  let end = 0;
  for (const [name, { dtype, dims, data }] of tensors) {
    if (dtype !== "float32" && dtype !== "int32") throw broken(name, "float32 or int32 to write", dtype);
    if (data.length !== sizeOf(dims)) {
      throw broken(name, `${sizeOf(dims)} values for [${dims.join(", ")}]`, `${data.length}`);
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

function readHeader(file: Uint8Array, where: string): { header: Record<string, unknown>; dataStart: number } {
  if (file.length < 8) throw broken(where, "a safetensors file of at least 8 bytes", `${file.length} bytes`);
  const length = new DataView(file.buffer, file.byteOffset, 8).getBigUint64(0, true);
  if (length > BigInt(MAX_HEADER_BYTES)) {
    throw broken(where, `a header of at most ${MAX_HEADER_BYTES} bytes`, `a length of ${length.toString()}`);
  }
  const dataStart = 8 + Number(length);
  if (dataStart > file.length) {
    throw broken(where, `a header of ${length.toString()} bytes`, `a file that ends after ${file.length}`);
  }
  let header: unknown;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      file.subarray(8, dataStart),
    );
    header = parseWithoutDuplicates(text, where);
  } catch (cause) {
    if (cause instanceof PlaygroundError) throw cause;
    throw broken(where, "a header in JSON", cause instanceof Error ? cause.message : String(cause));
  }
  if (typeof header !== "object" || header === null || Array.isArray(header)) {
    throw broken(where, "a JSON object as header", "something else");
  }
  return { header: header as Record<string, unknown>, dataStart };
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
      if (names.has(name)) throw broken(`${where}: ${name}`, "each tensor once", "the name twice");
      names.add(name);
    }
  }
  return header;
}

function readMetadata(value: unknown, where: string): Record<string, string> {
  const parsed = metadataSchema.safeParse(value);
  if (!parsed.success) throw broken(`${where}: __metadata__`, "texts by name", "something else");
  return parsed.data;
}

function readEntry(name: string, value: unknown, where: string): z.infer<typeof entrySchema> {
  const parsed = entrySchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw broken(
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
    throw broken(here, `a dtype among ${Object.keys(ELEMENT_BYTES).join(", ")}`, dtype);
  }
  if (stop < start) throw broken(here, "offsets in order", range);
  if (stop > limit) throw broken(here, `offsets within the ${limit} bytes of data`, range);
  if (start < end) throw broken(here, `offsets from ${end} on, after the tensor before it`, range);
  if (start > end) throw broken(here, `no gap: offsets from ${end} on`, range);
  const bytes = sizeOf(shape) * elementBytes;
  if (stop - start !== bytes) {
    throw broken(here, `${bytes} bytes for ${dtype} [${shape.join(", ")}]`, `${stop - start}`);
  }
}

function widenBfloat16(halves: Uint16Array): Float32Array {
  const words = new Uint32Array(halves.length);
  for (let i = 0; i < halves.length; i++) words[i] = (halves[i] as number) << 16;
  return new Float32Array(words.buffer);
}

function widenFloat16(halves: Uint16Array): Float32Array {
  const out = new Float32Array(halves.length);
  for (let i = 0; i < halves.length; i++) {
    const half = halves[i] as number;
    const exponent = (half >> 10) & 31;
    const fraction = half & 1023;
    const sign = half & 0x8000 ? -1 : 1;
    if (exponent === 0) out[i] = sign * fraction * 2 ** -24;
    else if (exponent === 31) out[i] = fraction === 0 ? sign * Infinity : NaN;
    else out[i] = sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  }
  return out;
}

function broken(where: string, expected: string, got: string): PlaygroundError {
  return new PlaygroundError({
    code: "model-broken",
    where,
    expected,
    got,
    next: "Download the file again, or save the model anew.",
  });
}
