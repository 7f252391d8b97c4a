/**
 * A run record as bytes, for headless runs and downloads: a JSON header whose typed arrays are replaced by
 * references, then the arrays themselves, untouched. Bits survive exactly; structured clone needs none of this.
 *
 * Layout, little-endian: "RPLAYRN2" | u32 header length | u32, u32 checksum of all that follows | header JSON (UTF-8) | padding to
 * 4 | float32 data. Older files begin with "RPLAYRUN" and have no checksum; they are read as they are.
 */
import { PlaygroundError } from "../base/errors.ts";

const MAGIC = "RPLAYRN2";
const OLDER_MAGIC = "RPLAYRUN";
const CHECKSUM_AT = MAGIC.length + 4;
const PREFIX_BYTES = CHECKSUM_AT + 8;

/** How the header names an array: element offset and length in the data part. */
interface ArrayReference {
  readonly $float32: readonly [offset: number, length: number];
}

/** The bytes of any JSON-like value that may hold Float32Arrays. */
export function encodeRecordFile(record: unknown): Uint8Array<ArrayBuffer> {
  const arrays: Float32Array[] = [];
  let elements = 0;
  const json = JSON.stringify(record, (_key, value: unknown) => {
    if (!(value instanceof Float32Array)) return value;
    const reference: ArrayReference = { $float32: [elements, value.length] };
    arrays.push(value);
    elements += value.length;
    return reference;
  });
  const header = new TextEncoder().encode(json);
  const dataAt = Math.ceil((PREFIX_BYTES + header.length) / 4) * 4;
  const bytes = new Uint8Array(dataAt + elements * 4);
  bytes.set(new TextEncoder().encode(MAGIC));
  new DataView(bytes.buffer).setUint32(MAGIC.length, header.length, true);
  bytes.set(header, PREFIX_BYTES);
  let at = dataAt;
  for (const array of arrays) {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
    at += array.byteLength;
  }
  const [plain, weighted] = checksum(bytes.subarray(PREFIX_BYTES));
  new DataView(bytes.buffer).setUint32(CHECKSUM_AT, plain, true);
  new DataView(bytes.buffer).setUint32(CHECKSUM_AT + 4, weighted, true);
  return bytes;
}

/**
 * Fletcher's two sums over words of 32 bits: a bit that flipped on the disk would else be another number of the adapter, in
 * silence. Not meant against people.
 */
function checksum(bytes: Uint8Array): readonly [plain: number, weighted: number] {
  const whole = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes); // words lie at multiples of 4
  const words = new Uint32Array(whole.buffer, whole.byteOffset, whole.length >> 2);
  let [plain, weighted] = [0, 0];
  for (let i = 0; i < words.length; i++) {
    plain = (plain + (words[i] ?? 0)) >>> 0;
    weighted = (weighted + plain) >>> 0;
  }
  return [plain, weighted];
}

/**
 * The value that was encoded, its arrays copied out. What it holds is for the caller to validate.
 * @throws PlaygroundError `record-invalid` when the bytes are not such a file, end too early or are not those that were written.
 */
export function decodeRecordFile(bytes: Uint8Array, where: string): unknown {
  const magic = new TextDecoder().decode(bytes.subarray(0, MAGIC.length));
  const older = magic === OLDER_MAGIC;
  if (bytes.length < PREFIX_BYTES || (magic !== MAGIC && !older)) throw broken(where, "another kind of file");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headerAt = older ? CHECKSUM_AT : PREFIX_BYTES;
  const headerEnd = headerAt + view.getUint32(MAGIC.length, true);
  if (headerEnd > bytes.length) throw broken(where, "a file that ends within its header");
  if (!older) checkSums(bytes, where);
  const dataAt = Math.ceil(headerEnd / 4) * 4;
  return parseHeader(bytes.subarray(headerAt, headerEnd), where, ([offset, length]) => {
    const start = dataAt + offset * 4;
    if (start + length * 4 > bytes.length) throw broken(where, "a file that ends within its numbers");
    const copy = new Uint8Array(length * 4); // not slice: that of Node's Buffer does not copy
    copy.set(bytes.subarray(start, start + length * 4));
    return new Float32Array(copy.buffer);
  });
}

function checkSums(bytes: Uint8Array, where: string): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [plain, weighted] = checksum(bytes.subarray(PREFIX_BYTES));
  const same =
    view.getUint32(CHECKSUM_AT, true) === plain && view.getUint32(CHECKSUM_AT + 4, true) === weighted;
  if (!same) throw broken(where, "bytes that are not those that were saved: the file is damaged or cut off");
}

function parseHeader(
  header: Uint8Array,
  where: string,
  read: (reference: ArrayReference["$float32"]) => Float32Array,
): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(header), (_key, value: unknown) =>
      isReference(value) ? read(value.$float32) : value,
    );
  } catch (error) {
    if (error instanceof PlaygroundError) throw error;
    throw broken(where, "a header that is not JSON");
  }
}

function isReference(value: unknown): value is ArrayReference {
  return typeof value === "object" && value !== null && "$float32" in value && Array.isArray(value.$float32);
}

function broken(where: string, got: string): PlaygroundError {
  return new PlaygroundError({
    code: "record-invalid",
    where,
    expected: "a saved run",
    got,
    next: "Open an earlier checkpoint of the run, or start a new one.",
  });
}
