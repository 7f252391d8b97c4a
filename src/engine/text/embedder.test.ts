/** Sentence embeddings on a tiny random BERT, beside transformers' own mean pooling of it (scripts/fixtures/make_tiny_embedder.py). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PlaygroundError } from "../../base/errors.ts";
import { openEmbedder, type TextEmbedder } from "./embedder.ts";

const FIXTURES = join(import.meta.dirname, "../../testing/fixtures/");
const { texts, cosines } = JSON.parse(readFileSync(join(FIXTURES, "tiny-embedder/cosines.json"), "utf8")) as {
  readonly texts: readonly string[];
  readonly cosines: readonly (readonly number[])[];
};

let embedder: TextEmbedder;
beforeAll(async () => {
  embedder = await openEmbedder({ source: { kind: "folder", parent: FIXTURES, name: "tiny-embedder" } });
});
afterAll(() => embedder.dispose());

const dot = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);

test("cosines are transformers', of short, empty and overlong texts in one batch", async () => {
  const vectors = await embedder.embed(texts);
  const own = vectors.map((a) => vectors.map((b) => dot(a, b)));
  own.forEach((row, i) => {
    row.forEach((cosine, j) => {
      expect(cosine, `${i} and ${j}`).toBeCloseTo(cosines[i]?.[j] ?? NaN, 5);
    });
  });
  // a text's vector does not hang on its neighbours
  const [alone] = await embedder.embed(texts.slice(1, 2));
  expect(dot(alone ?? new Float32Array(), vectors[1] ?? new Float32Array())).toBeCloseTo(1, 6);
});

test("a folder without the files is refused with what is missing", async () => {
  const opened = openEmbedder({ source: { kind: "folder", parent: FIXTURES, name: "no-such-folder" } });
  await expect(opened).rejects.toSatisfy(
    (error) =>
      error instanceof PlaygroundError &&
      error.code === "model-broken" &&
      error.message.includes("tokenizer") &&
      error.cause instanceof Error,
  );
});
