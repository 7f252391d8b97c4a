/**
 * Lint: two criteria that mean nearly the same in other words, by an embedding model's vectors of their texts. Two that differ in one
 * word alone are left to the words' rule: to such a model "the first step" and "the second step", or "positive" and "negative", are near.
 */
import { criterionWords } from "./criterion-words.ts";
import { rewardedPairs, type LintNote } from "./lint-note.ts";
import type { Criterion } from "./schema.ts";

/** Vectors of length 1 by the criterion's text, and what made them. */
export interface Meanings {
  readonly by: string;
  readonly vectors: ReadonlyMap<string, Float32Array>;
}

/**
 * [ours] Least cosine. By all-MiniLM-L6-v2, criteria that say the same in other words have .37 to .86 and others up to .63: it tells
 * of about half of them and of hardly another.
 */
const LIKE_MEANING = 0.65;

export function lintSameMeaning(criteria: readonly Criterion[], { by, vectors }: Meanings): LintNote[] {
  return rewardedPairs(criteria).flatMap(([first, second]) => {
    const [a, b] = [vectors.get(first.text), vectors.get(second.text)];
    if (a === undefined || b === undefined || !saysOtherwise(first, second)) return [];
    const likeness = a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
    if (likeness < LIKE_MEANING) return [];
    return [{ kind: "same-meaning", criteria: [first.id, second.id] as const, likeness, by }];
  });
}

/** In other words, and not the one what the other forbids. */
function saysOtherwise(first: Criterion, second: Criterion): boolean {
  const [a, b] = [criterionWords(first), criterionWords(second)];
  if (a.negated !== b.negated) return false;
  return missing(a.content, b.content) > 1 || missing(b.content, a.content) > 1;
}

function missing(words: ReadonlySet<string>, from: ReadonlySet<string>): number {
  return [...words].filter((word) => !from.has(word)).length;
}
