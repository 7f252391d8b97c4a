/** The slot of the embedding model with a worker that a test plays. */
import { expect, test } from "vitest";
import { PlaygroundError } from "../../../base/errors.ts";
import { createEmbedderSlot } from "./browser-embedder.ts";
import type { FromEmbedder, ToEmbedder } from "./embedder-messages.ts";

/** A worker that answers by `answer`, and what became of it. */
function played(answer: (message: ToEmbedder) => FromEmbedder, log: string[] = []) {
  const spawn = (): Worker => {
    const worker = {
      onmessage: null as ((event: { data: FromEmbedder }) => void) | null,
      postMessage: (message: ToEmbedder) => {
        log.push(message.kind);
        if (message.kind === "open")
          worker.onmessage?.({ data: { kind: "progress", loadedBytes: 1, totalBytes: 2 } });
        queueMicrotask(() => worker.onmessage?.({ data: answer(message) }));
      },
      terminate: () => log.push("end"),
    };
    return worker as unknown as Worker;
  };
  return { slot: createEmbedderSlot(spawn), log };
}
const works = (message: ToEmbedder): FromEmbedder =>
  message.kind === "open"
    ? { kind: "opened" }
    : { kind: "vectors", vectors: message.texts.map((text) => Float32Array.of(text.length)) };
const files = { kind: "files", files: [] } as const;

test("before it is loaded it says so, afterwards it computes", async () => {
  const { slot } = played(works);
  await expect(slot.embedder.embed(["a"])).rejects.toThrow("all-MiniLM-L6-v2 is not loaded");
  expect(slot.isLoaded()).toBe(false);
  const progress: number[][] = [];
  await slot.load(files, (done, total) => progress.push([done, total]));
  expect(progress).toEqual([[1, 2]]);
  expect(slot.isLoaded()).toBe(true);
  const both = await Promise.all([slot.embedder.embed(["a"]), slot.embedder.embed(["bb", "c"])]);
  expect(both.map((vectors) => vectors.map((each) => each[0]))).toEqual([[1], [2, 1]]);
});

test("one that cannot be loaded leaves the one before it", async () => {
  let broken = false;
  const { slot, log } = played((message) =>
    broken ? { kind: "failed", reason: "no config.json" } : works(message),
  );
  await slot.load(files, () => undefined);
  broken = true;
  await expect(slot.load(files, () => undefined)).rejects.toSatisfy(
    (error) =>
      error instanceof PlaygroundError &&
      error.code === "model-broken" &&
      error.message.includes("no config.json"),
  );
  broken = false;
  expect(await slot.embedder.embed(["abc"])).toEqual([Float32Array.of(3)]);
  expect(log).toEqual(["open", "open", "end", "embed"]);
});
