/** What page and worker say to each other about adapters: those that come from elsewhere, and what leaves with them. */
import type { FaultMessage } from "../../base/errors.ts";
import type { StartAdapter } from "../../domain/run/spec.ts";
import type { LocalFile } from "./model-messages.ts";

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
}
