/**
 * The lexical embedder: how alike two texts are by their words alone, without a model. Cosine of the words' counts, each count c as
 * 1 + ln c. Two texts that say the same in other words count as unlike: whoever shows its number says so.
 */
import { wordsOf } from "../checks/answer-text.ts";

/** Weight of each word. */
export type WordBag = ReadonlyMap<string, number>;

export function wordBag(text: string): WordBag {
  const counts = new Map<string, number>();
  for (const { text: word } of wordsOf(text)) {
    const key = word.toLowerCase().replaceAll("’", "'");
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return new Map([...counts].map(([word, count]) => [word, 1 + Math.log(count)]));
}

/** 0 to 1; 0 where either has no words. */
export function bagCosine(a: WordBag, b: WordBag): number {
  const lengths = lengthOf(a) * lengthOf(b);
  if (lengths === 0) return 0;
  const product = [...a].reduce((sum, [word, weight]) => sum + weight * (b.get(word) ?? 0), 0);
  return Math.min(1, product / lengths);
}

function lengthOf(bag: WordBag): number {
  return Math.sqrt([...bag.values()].reduce((sum, weight) => sum + weight ** 2, 0));
}
