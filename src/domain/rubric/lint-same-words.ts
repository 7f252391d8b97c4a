/**
 * Lint: two criteria in nearly the same words. Likeness is the cosine of their words, each weighed by how few of the
 * rubric's criteria hold it: "first" and "second" tell two criteria apart that share all else. English alone [ours].
 */
import { criterionWords } from "./criterion-words.ts";
import { rewardedPairs, type TextRule } from "./lint-note.ts";

/** [ours] Above it two criteria are told of: identical words have 1. */
const LIKE_WORDS = 0.75;

export const lintSameWords: TextRule = (criteria) => {
  const words = new Map(criteria.map((criterion) => [criterion.id, criterionWords(criterion)]));
  const holders = new Map<string, number>();
  for (const own of words.values())
    for (const word of own.content) holders.set(word, (holders.get(word) ?? 0) + 1);
  const weightOf = (word: string): number => Math.log(1 + criteria.length / (holders.get(word) ?? 1));
  return rewardedPairs(criteria).flatMap(([first, second]) => {
    const a = words.get(first.id);
    const b = words.get(second.id);
    if (a === undefined || b === undefined || a.negated !== b.negated) return [];
    const likeness = cosine(a.content, b.content, weightOf);
    if (likeness < LIKE_WORDS) return [];
    return [{ kind: "same-words", criteria: [first.id, second.id] as const, likeness }];
  });
};

function cosine(a: ReadonlySet<string>, b: ReadonlySet<string>, weightOf: (word: string) => number): number {
  const mass = (words: Iterable<string>): number =>
    [...words].reduce((sum, word) => sum + weightOf(word) ** 2, 0);
  const length = Math.sqrt(mass(a) * mass(b));
  return length === 0 ? 0 : mass([...a].filter((word) => b.has(word))) / length;
}
