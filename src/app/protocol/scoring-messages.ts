/** Requests about what checks ask. */
import type { LocalFile } from "./model-messages.ts";

/** Where the embedding model comes from: a hub's address, or its files. */
export type EmbedderChoice =
  | { readonly kind: "hub"; readonly host: string }
  | { readonly kind: "files"; readonly files: readonly LocalFile[] };

export interface ScoringRequests {
  /** Loads all-MiniLM-L6-v2 for checks that compare meanings, in the place of one that was loaded before; null only asks. */
  loadEmbedder: { params: { source: EmbedderChoice | null }; result: { loaded: boolean } };
  /** What texts mean, as vectors of length 1 in their order; none where no model is loaded. */
  embedTexts: {
    params: { texts: readonly string[] };
    result: { by: string; vectors: readonly Float32Array[] };
  };
}
