/**
 * Lint: two criteria in nearly the same words. Likeness is the cosine of their words, each weighed by how few of the
 * rubric's criteria hold it: "first" and "second" tell two criteria apart that share all else. English alone [ours].
 */
import { rewardedPairs, type TextRule } from "./lint-note.ts";
import type { Criterion } from "./schema.ts";

/** [ours] Above it two criteria are told of: identical words have 1. */
export const LIKE_WORDS = 0.75;

/** Words that say nothing of what is asked: articles and the like, and the verbs that every criterion begins with. */
const EMPTY_WORDS = new Set(
  (
    "a an and any are as at be been but by can for from has have if in into is it its of on or so than that the their them " +
    "then there these they this to was were which will with you your answer reply response text should must " +
    "contain describe do give include list make mention name offer provide say state tell use write"
  )
    .split(" ")
    .map(stem),
);
const NEGATIONS = new Set("not no never without avoid none nothing nobody".split(" "));

export const lintSameWords: TextRule = (criteria) => {
  const words = new Map(criteria.map((criterion) => [criterion.id, wordsOf(criterion)]));
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

interface Words {
  readonly content: ReadonlySet<string>;
  /** The criterion names what must not be. */
  readonly negated: boolean;
}

function wordsOf({ text, penalty }: Criterion): Words {
  const plain = text.toLowerCase().replaceAll(/n['’]t\b/g, " not");
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  const stems = words.map(stem);
  const negations = stems.filter((word) => NEGATIONS.has(word)).length;
  return {
    content: new Set(stems.filter((word) => !EMPTY_WORDS.has(word) && !NEGATIONS.has(word))),
    negated: (negations % 2 === 1) !== (penalty === true),
  };
}

/** Takes an English ending off, so that "gives", "giving" and "give" are one word; roughly, for short sentences. */
function stem(word: string): string {
  if (word.length < 4) return word === "does" ? "do" : word;
  return word
    .replace(/(?:sses)$/, "ss")
    .replace(/ies$/, "y")
    .replace(/([^s])s$/, "$1")
    .replace(/(?:ing|ed)$/, (ending) => (word.length > ending.length + 2 ? "" : ending))
    .replace(/e$/, "");
}

function cosine(a: ReadonlySet<string>, b: ReadonlySet<string>, weightOf: (word: string) => number): number {
  const mass = (words: Iterable<string>): number =>
    [...words].reduce((sum, word) => sum + weightOf(word) ** 2, 0);
  const length = Math.sqrt(mass(a) * mass(b));
  return length === 0 ? 0 : mass([...a].filter((word) => b.has(word))) / length;
}
