/** What page and worker say to each other about adapters: those that come from elsewhere, and what leaves with them. */
import type { FaultMessage } from "../../base/errors.ts";
import type { StartAdapter } from "../../domain/run/spec.ts";
import type { LocalFile } from "./model-messages.ts";

/** How a merged model's numbers are stored. */
export type MergedDtype = "F32" | "BF16";

/** An adapter that a run can start from. */
export interface OfferedAdapter {
  readonly start: StartAdapter;
  /** The flat vector. */
  readonly values: Float32Array;
  /** Of its earlier training; ours has none. */
  readonly dropout: number;
}

/** One of the chosen folders, or why it cannot be used. */
export type ReadAdapter = OfferedAdapter | { readonly name: string; readonly fault: FaultMessage };

export interface AdapterRequests {
  /** Reads every adapter in chosen files, folders or zips, for the loaded model. @throws `adapter-refused` where there is none */
  readAdapters: {
    params: { files: readonly LocalFile[] };
    result: { adapters: readonly ReadAdapter[] };
  };
  /** Settings, rubric, rows, adapters, model and versions, in one zip. */
  exportRun: { params: Record<string, never>; result: { zip: Uint8Array<ArrayBuffer> } };
  /** The model with an arm's adapter merged into its weights, as transformers loads it; `dtype` null = as it was loaded. */
  exportMerged: {
    params: { seed: number; arm: string; dtype: MergedDtype | null };
    result: { zip: Blob; dtype: MergedDtype };
  };
}
