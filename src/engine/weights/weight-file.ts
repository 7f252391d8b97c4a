/** One view of a model's weights, whatever file they lie in: tensors by their Hugging Face names, read one at a time. */
import { PlaygroundError } from "../../base/errors.ts";
import type { RangedFile, ReadOptions } from "./model-source.ts";

/** How a tensor's numbers are stored: plain floats, or GGML blocks. */
export const STORAGES = [
  "F32",
  "F16",
  "BF16",
  "Q8_0",
  "Q4_0",
  "Q4_1",
  "Q5_0",
  "Q5_1",
  "Q4_K",
  "Q5_K",
  "Q6_K",
] as const;
export type Storage = (typeof STORAGES)[number];

export interface WeightEntry {
  /** As Hugging Face names it, e.g. `model.layers.0.self_attn.q_proj.weight`. */
  readonly name: string;
  /** Outermost first: [out, in] of a linear. */
  readonly shape: readonly number[];
  /** As the file says; not every one can be read. */
  readonly storage: string;
  readonly sizeBytes: number;
  /** Heads whose rows the file keeps in another order, see `restoreRows`; absent = as Hugging Face has them. */
  readonly permutedHeads?: number | undefined;
}

interface TensorReadOptions extends ReadOptions {
  /** The tensor's first bytes, where an earlier reading left them: only the others are read. */
  readonly begun?: Uint8Array | undefined;
  /** Told what has come where the reading fails. */
  readonly onCut?: ((begun: Uint8Array) => void) | undefined;
}

export interface WeightFile {
  /** Named in errors. */
  readonly where: string;
  readonly entries: ReadonlyMap<string, WeightEntry>;
  /** Bytes of all files. */
  readonly sizeBytes: number;
  /** Tells these files from other versions of them; null = they cannot be told apart. */
  readonly version: string | null;
  /** One tensor's own bytes, in memory of their own. @throws PlaygroundError `model-fetch-failed`, `aborted`. */
  read(name: string, options?: TensorReadOptions): Promise<Uint8Array<ArrayBuffer>>;
}

/** A tensor is read in pieces of this: an embedding may be a quarter of a model. */
const PIECE_BYTES = 8 * 2 ** 20;

/** Bytes [start, end) of a file, in memory of their own. */
export async function readPieces(
  file: RangedFile,
  { start, end }: { readonly start: number; readonly end: number },
  { begun, onCut, onProgress, signal }: TensorReadOptions = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(end - start);
  let done = 0;
  if (begun !== undefined && begun.length < bytes.length) {
    bytes.set(begun);
    done = begun.length;
  }
  try {
    while (done < bytes.length) {
      const next = Math.min(bytes.length, done + PIECE_BYTES);
      const told = (loaded: number): void => onProgress?.(done + loaded, bytes.length);
      bytes.set(await file.read(start + done, start + next, { signal, onProgress: told }), done);
      done = next;
    }
  } catch (fault) {
    onCut?.(bytes.subarray(0, done));
    throw fault;
  }
  return bytes;
}

/** What is wrong with a file of weights. */
export function brokenWeights(where: string, expected: string, got: string): PlaygroundError {
  return new PlaygroundError({
    code: "model-broken",
    where,
    expected,
    got,
    next: "Download the file again, or save the model anew.",
  });
}
