/** Check: the answer is like a reference: by a model's embeddings, or by its words alone where there is no model. */
import { z } from "zod";
import type { Embedder } from "../embedder.ts";
import { bagCosine, wordBag } from "../similarity/word-bag.ts";
import { missingFor } from "./ask-sandbox.ts";
import { defineAskingCheck, type CheckedJudgement } from "./check.ts";
import { gradedSchema } from "./promptfoo/texts.ts";

export const SIMILARITY_MODEL = "all-MiniLM-L6-v2";
export const WORDS_ALONE = "words alone";

export const similar = defineAskingCheck({
  title: "is like a reference",
  help: "Passes when the answer is near enough to one of the references, by its words alone or by a model's embeddings.",
  args: z.strictObject({
    value: z.array(z.string().min(1)).min(1).describe("Reference answers, one a line; the nearest counts"),
    threshold: z.number().min(-1).max(1).default(0.75).describe("Least similarity (cosine), up to 1"),
    by: z
      .enum([WORDS_ALONE, SIMILARITY_MODEL])
      .default(WORDS_ALONE)
      .describe("Words alone counts shared words; the model compares meanings"),
    graded: gradedSchema,
  }),
  ask: async (answers, { value, threshold, by, graded }, _prompt, { embedder }) => {
    const texts = answers.map(({ text }) => text);
    if (by === SIMILARITY_MODEL && embedder === null)
      return texts.map(() => missingFor(`${SIMILARITY_MODEL} is not loaded here`));
    const nearest =
      by === SIMILARITY_MODEL && embedder !== null
        ? await nearestByModel(embedder, texts, value)
        : texts.map((text) => nearestByWords(text, value));
    const named = by === SIMILARITY_MODEL && embedder !== null ? embedder.name : `${WORDS_ALONE}, no model`;
    return nearest.map((cosine): CheckedJudgement => {
      const said = `${cosine.toFixed(3)} alike by ${named}`;
      const verdict = graded ? Math.min(1, Math.max(0, cosine)) : cosine >= threshold ? 1 : 0;
      return { verdict, reason: graded ? said : `${said}, asked: ${threshold}`, spans: [], failed: false };
    });
  },
});

function nearestByWords(text: string, references: readonly string[]): number {
  const own = wordBag(text);
  return Math.max(...references.map((reference) => bagCosine(own, wordBag(reference))));
}

async function nearestByModel(
  embedder: Embedder,
  texts: readonly string[],
  references: readonly string[],
): Promise<number[]> {
  const vectors = await embedder.embed([...texts, ...references]);
  const others = vectors.slice(texts.length);
  return vectors.slice(0, texts.length).map((own) => Math.max(...others.map((other) => dot(own, other))));
}

/** Cosine of vectors of length 1. */
function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}
