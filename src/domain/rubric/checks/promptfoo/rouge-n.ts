/**
 * promptfoo `rouge-n` (Lin 2004): F1 of the single words that answer and reference share, each as often as both have it; words
 * lower-cased and cut by js-rouge's Penn Treebank rules, as there.
 */
import { defined } from "../../../../base/assert.ts";
import { countsOf, overlap } from "./word-runs.ts";
import { scoreCheck } from "./texts.ts";

let tokenize: ((text: string) => string[]) | null = null;

async function loadTokenizer(): Promise<void> {
  tokenize ??= (await import("js-rouge")).treeBankTokenize;
}

export const rougeN = scoreCheck({
  title: "shares words (ROUGE-N)",
  help: "Passes when answer and reference share enough words, by the ROUGE-1 score.",
  threshold: 0.75,
  load: loadTokenizer,
  score: (text, references) => Math.max(...references.map((reference) => rougeScore(text, reference))),
});

function rougeScore(text: string, reference: string): number {
  const cut = defined(tokenize ?? undefined, "rouge-n, tokenizer loaded before it judges");
  const [own, other] = [cut(text.toLowerCase()), cut(reference.toLowerCase())];
  const shared = overlap(countsOf(own), countsOf(other));
  return shared === 0 ? 0 : (2 * shared) / (own.length + other.length);
}
