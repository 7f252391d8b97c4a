/** The embedding model in a browser: nothing until a person loads it, then a worker of its own. */
import { PlaygroundError } from "../../../base/errors.ts";
import type { Embedder } from "../../../domain/rubric/embedder.ts";
import type { EmbedderSource } from "../../../engine/text/embedder.ts";
import type { FromEmbedder, ToEmbedder } from "./embedder-messages.ts";

export interface EmbedderSlot {
  /** Says that no model is loaded until one is. */
  readonly embedder: Embedder;
  readonly isLoaded: () => boolean;
  /** Puts a model in the place of the one before it. @throws PlaygroundError `model-broken` with what was missing */
  readonly load: (
    source: EmbedderSource,
    onProgress: (loadedBytes: number, totalBytes: number) => void,
  ) => Promise<void>;
}

const NAME = "all-MiniLM-L6-v2";

export function createEmbedderSlot(spawn: () => Worker = spawnWorker): EmbedderSlot {
  let current: EmbedderWorker | null = null;
  let turn: Promise<unknown> = Promise.resolve();
  return {
    embedder: {
      name: NAME,
      embed: (texts) => {
        const mine = turn.then(() => embedWith(current, texts));
        turn = mine.catch(() => undefined);
        return mine;
      },
    },
    isLoaded: () => current !== null,
    load: async (source, onProgress) => {
      const fresh = workerOf(spawn(), onProgress);
      const answer = await fresh.ask({ kind: "open", source });
      if (answer.kind !== "opened") {
        fresh.end();
        throw failure(answer);
      }
      current?.end();
      current = fresh;
    },
  };
}

async function embedWith(
  worker: EmbedderWorker | null,
  texts: readonly string[],
): Promise<readonly Float32Array[]> {
  if (worker === null) throw new Error(`${NAME} is not loaded`);
  const answer = await worker.ask({ kind: "embed", texts });
  if (answer.kind === "vectors") return answer.vectors;
  throw failure(answer);
}

function failure(answer: FromEmbedder): PlaygroundError {
  return new PlaygroundError({
    code: "model-broken",
    where: NAME,
    expected: "the model's files: config.json, tokenizer.json, tokenizer_config.json and onnx/model.onnx",
    got: answer.kind === "failed" ? answer.reason : answer.kind,
    next: "Choose the folder that holds them, or fetch them from a hub.",
  });
}

interface EmbedderWorker {
  readonly ask: (message: ToEmbedder) => Promise<FromEmbedder>;
  readonly end: () => void;
}

function workerOf(worker: Worker, onProgress: (loaded: number, total: number) => void): EmbedderWorker {
  let answered: (answer: FromEmbedder) => void = () => undefined;
  worker.onmessage = ({ data }: MessageEvent<FromEmbedder>) => {
    if (data.kind === "progress") onProgress(data.loadedBytes, data.totalBytes);
    else answered(data);
  };
  worker.onerror = (event) => {
    answered({ kind: "failed", reason: event.message || "its code could not be loaded" });
  };
  return {
    ask: (message) =>
      new Promise((resolve) => {
        answered = resolve;
        worker.postMessage(message);
      }),
    end: () => {
      worker.terminate();
    },
  };
}

function spawnWorker(): Worker {
  return new Worker(new URL("./embedder-worker.ts", import.meta.url), { type: "module" });
}
