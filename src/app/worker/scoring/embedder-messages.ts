/** What passes between the training worker and the worker that computes embeddings. */
import type { EmbedderSource } from "../../../engine/text/embedder.ts";

export type ToEmbedder =
  | { readonly kind: "open"; readonly source: EmbedderSource }
  | { readonly kind: "embed"; readonly texts: readonly string[] };

export type FromEmbedder =
  | { readonly kind: "progress"; readonly loadedBytes: number; readonly totalBytes: number }
  | { readonly kind: "opened" }
  | { readonly kind: "vectors"; readonly vectors: readonly Float32Array[] }
  | { readonly kind: "failed"; readonly reason: string };
