/** What a criterion asks, as lint compares it: the stems of its words that say something, and whether it asks for that or forbids it. English alone [ours]. */
import type { Criterion } from "./schema.ts";

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

interface CriterionWords {
  /** Stems of the words that say what is asked. */
  readonly content: ReadonlySet<string>;
  /** The criterion names what must not be. */
  readonly negated: boolean;
}

export function criterionWords({ text, penalty }: Criterion): CriterionWords {
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
