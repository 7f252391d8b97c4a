/** Computes embeddings in a worker of its own, so that the training worker's code holds no models of transformers.js. One request at a time. */
import { openEmbedder, type TextEmbedder } from "../../../engine/text/embedder.ts";
import { transformersRuntime } from "../../../engine/runtime/transformers-runtime.ts";
import type { FromEmbedder, ToEmbedder } from "./embedder-messages.ts";

const scope = self as unknown as DedicatedWorkerGlobalScope;
const post = (message: FromEmbedder): void => {
  scope.postMessage(message);
};
let embedder: TextEmbedder | null = null;

async function answer(message: ToEmbedder): Promise<FromEmbedder> {
  if (message.kind === "open") {
    embedder = await openEmbedder({
      source: message.source,
      wasmPaths: transformersRuntime(import.meta.env.DEV, scope.location.href),
      onProgress: (loadedBytes, totalBytes) => {
        post({ kind: "progress", loadedBytes, totalBytes });
      },
    });
    return { kind: "opened" };
  }
  if (embedder === null) return { kind: "failed", reason: "no model was opened" };
  return { kind: "vectors", vectors: await embedder.embed(message.texts) };
}

/** What went wrong beneath our own words, which the other side says again. */
function reasonOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  return cause instanceof Error ? cause.message : message;
}

scope.onmessage = (event: MessageEvent<ToEmbedder>) => {
  answer(event.data)
    .catch((error: unknown): FromEmbedder => ({ kind: "failed", reason: reasonOf(error) }))
    .then(post, () => undefined);
};
