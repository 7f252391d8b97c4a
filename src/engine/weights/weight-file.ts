/** One view of a model's weights, whatever file they lie in: tensors by their Hugging Face names, read one at a time. */
import { PlaygroundError } from "../../base/errors.ts";
import type { ReadOptions } from "./model-source.ts";

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

export interface WeightFile {
  /** Named in errors. */
  readonly where: string;
  readonly entries: ReadonlyMap<string, WeightEntry>;
  /** Bytes of all files. */
  readonly sizeBytes: number;
  /** One tensor's own bytes, in memory of their own. @throws PlaygroundError `model-fetch-failed`, `aborted`. */
  read(name: string, options?: ReadOptions): Promise<Uint8Array<ArrayBuffer>>;
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
