/** Tensors in pieces: what came before a break is told, and need not be read again; hashes go on over it. */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { type HashedFile, hashedFile } from "./download-hash.ts";
import type { RangedFile } from "./model-source.ts";
import { readPieces } from "./weight-file.ts";

const MB = 2 ** 20;
const BYTES = Uint8Array.from({ length: 21 * MB + 5 }, (_, i) => (i * 2654435761) >>> 24);
const SPAN = { start: 3, end: 20 * MB + 1 };
const told = { kind: "sha256", hex: createHash("sha256").update(BYTES).digest("hex") } as const;

/** Fails once it was asked for so many parts; writes down where each began. */
function file(parts: number): RangedFile & { readonly starts: number[] } {
  const starts: number[] = [];
  return {
    path: "w",
    sizeBytes: BYTES.length,
    starts,
    read: (start, end) => {
      starts.push(start);
      return starts.length > parts
        ? Promise.reject(new Error("cut"))
        : Promise.resolve(BYTES.subarray(start, end));
    },
  };
}

const sameBytes = (got: Uint8Array, from: number): boolean =>
  Buffer.from(got).equals(BYTES.subarray(from, from + got.length));

test("a tensor whose reading broke off goes on behind the last whole piece, its hash too", async () => {
  let equal = 0;
  const hashed = (inner: RangedFile): HashedFile =>
    hashedFile(inner, { told, where: "here", onEqual: () => equal++ });
  const first = hashed(file(3));
  let came: Uint8Array | undefined;
  await first.read(0, 3);
  const reading = readPieces(first, SPAN, { onCut: (begun) => (came = begun) });
  await expect(reading).rejects.toThrow("cut");
  expect(came?.length).toBe(16 * MB);
  expect(came !== undefined && sameBytes(came, SPAN.start)).toBe(true);
  const mark = first.mark();
  expect(mark?.at).toBe(SPAN.start + 16 * MB);

  const inner = file(99);
  const second = hashed(inner);
  await second.read(0, 10); // a header is read before
  if (mark !== null) await second.resume(mark);
  const seen: number[] = [];
  const bytes = await readPieces(second, SPAN, { begun: came, onProgress: (loaded) => seen.push(loaded) });
  expect(bytes.length).toBe(SPAN.end - SPAN.start);
  expect(sameBytes(bytes, SPAN.start)).toBe(true);
  expect(inner.starts).toEqual([0, SPAN.start + 16 * MB]);
  expect(equal).toBe(0);
  await second.read(SPAN.end, BYTES.length);
  expect(equal).toBe(1);
  expect(second.mark()).toEqual({ at: BYTES.length, state: null });
});

test("a hash that goes on over other bytes than were hashed is refused", async () => {
  const first = hashedFile(file(9), { told, where: "here", onEqual: () => undefined });
  await first.read(0, 100);
  const mark = first.mark();
  const second = hashedFile(file(9), { told, where: "here", onEqual: () => undefined });
  if (mark !== null) await second.resume({ ...mark, at: mark.at - 1 });
  await expect(second.read(99, BYTES.length)).rejects.toMatchObject({ code: "model-broken" });
});

test("a file that was hashed whole is known to be the told one", async () => {
  let equal = 0;
  const again = hashedFile(file(9), { told, where: "here", onEqual: () => equal++ });
  await again.resume({ at: BYTES.length, state: null });
  expect(equal).toBe(1);
  expect(sameBytes(await again.read(5, 10), 5)).toBe(true);
});
