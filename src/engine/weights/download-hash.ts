/**
 * Compares downloaded files with the hashes that a hub gives. A file that is read in order is hashed on the way, what lies
 * between two tensors included; one that is read in another order cannot be, and is not said to be.
 */
import { createSHA1, createSHA256, type IHasher } from "hash-wasm";
import { PlaygroundError } from "../../base/errors.ts";
import type { HashMark, RangedFile, ReadOptions } from "./model-source.ts";

/** What a hub says of a file: the SHA-256 of an LFS file, git's blob id of any other. */
export interface ToldHash {
  readonly kind: "sha256" | "git-blob";
  readonly hex: string;
}

/** A gap up to this size between two readings is fetched to be hashed: padding between tensors, or behind the last one. */
const LARGEST_GAP_BYTES = 1 << 20;

/** @throws PlaygroundError `model-broken` where the bytes are not those that the hub means. */
export async function checkWhole(bytes: Uint8Array, told: ToldHash, where: string): Promise<void> {
  const hasher = await (told.kind === "sha256" ? createSHA256() : createSHA1());
  hasher.init();
  if (told.kind === "git-blob") hasher.update(`blob ${bytes.length}\0`);
  compare(hasher.update(bytes).digest(), told, where);
}

/** A file that is hashed while it is read. */
export interface HashedFile extends RangedFile {
  /** How far it is hashed; null = nothing is. */
  readonly mark: () => HashMark | null;
  /** Goes on where another reading of the same bytes ended. @throws Error for a state of another build */
  readonly resume: (mark: HashMark) => Promise<void>;
}

/** `onEqual` is called once the last byte was hashed and the hash is the told one; a reading throws where it is not. */
export function hashedFile(
  file: RangedFile,
  { told, where, onEqual }: { readonly told: ToldHash; readonly where: string; readonly onEqual: () => void },
): HashedFile {
  let hasher: IHasher | null = null;
  let hashed = 0;
  const read = async (start: number, end: number, options: ReadOptions = {}): Promise<Uint8Array> => {
    if (start > hashed + LARGEST_GAP_BYTES || end <= hashed) return file.read(start, end, options);
    const from = Math.min(start, hashed);
    const to = file.sizeBytes - end <= LARGEST_GAP_BYTES ? file.sizeBytes : end;
    const bytes = await file.read(from, to, options);
    if (hasher === null) {
      hasher = await createSHA256();
      hasher.init();
    }
    hasher.update(bytes.subarray(hashed - from));
    hashed = to;
    if (hashed === file.sizeBytes) {
      compare(hasher.digest(), told, where);
      onEqual();
    }
    return bytes.subarray(start - from, end - from);
  };
  let turn: Promise<unknown> = Promise.resolve();
  return {
    ...file,
    version: told.hex,
    mark: () => {
      if (hashed === file.sizeBytes) return { at: hashed, state: null };
      return hasher && { at: hashed, state: [...hasher.save()] };
    },
    resume: async ({ at, state }) => {
      if (state === null) onEqual();
      else hasher = (await createSHA256()).load(Uint8Array.from(state));
      hashed = at;
    },
    read: (start, end, options) => {
      const mine = turn.then(() => read(start, end, options));
      turn = mine.catch(() => undefined);
      return mine;
    },
  };
}

function compare(got: string, { kind, hex }: ToldHash, where: string): void {
  if (got === hex.toLowerCase()) return;
  throw new PlaygroundError({
    code: "model-broken",
    where,
    expected: `the ${kind === "sha256" ? "SHA-256" : "git blob id"} ${hex}, as the hub says`,
    got,
    next: "The file was damaged on its way or at a mirror: load again, or take another address of the hub.",
  });
}
