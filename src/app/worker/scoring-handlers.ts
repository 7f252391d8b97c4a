/** What the worker does for requests about what checks ask. */
import { PlaygroundError } from "../../base/errors.ts";
import { SIMILARITY_MODEL } from "../../domain/rubric/checks/similar.ts";
import type { Progress } from "../protocol/messages.ts";
import type { ScoringRequests } from "../protocol/scoring-messages.ts";
import type { Handlers } from "./dispatch.ts";
import type { EmbedderSlot } from "./scoring/browser-embedder.ts";

/** @param slot undefined where no embeddings can be computed */
export function scoringHandlers(
  slot: EmbedderSlot | undefined,
  tell: (progress: Progress | null) => void,
): Pick<Handlers, keyof ScoringRequests> {
  return {
    loadEmbedder: async ({ source }) => {
      if (source === null) return { loaded: slot?.isLoaded() ?? false };
      if (slot === undefined) {
        throw new PlaygroundError({
          code: "internal",
          where: SIMILARITY_MODEL,
          expected: "a worker that computes embeddings",
          got: "none",
          next: "Compare by words alone.",
        });
      }
      try {
        await slot.load(source, (done, total) => {
          tell({ phase: "fetch", done, total, unit: "bytes", leftMs: null });
        });
      } finally {
        tell(null);
      }
      return { loaded: true };
    },
    embedTexts: async ({ texts }) => ({
      by: SIMILARITY_MODEL,
      vectors: slot?.isLoaded() === true ? await slot.embedder.embed(texts) : [],
    }),
  };
}
