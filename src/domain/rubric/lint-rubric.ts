/** All that lint says of a rubric. Two criteria that are alike in several ways are told of once, by the plainest. */
import { lintCannotFail } from "./lint-cannot-fail.ts";
import { lintExcluding } from "./lint-excluding.ts";
import type { LintNote } from "./lint-note.ts";
import { lintSameCheck } from "./lint-same-check.ts";
import { lintSameMeaning, type Meanings } from "./lint-same-meaning.ts";
import { lintSameVerdicts } from "./lint-same-verdicts.ts";
import { lintSameWords } from "./lint-same-words.ts";
import type { Rubric } from "./schema.ts";
import type { VerdictTally } from "./verdict-tally.ts";

/**
 * What the rubric says of itself, before any answer.
 * @param meanings null where no embedding model is loaded: then criteria are compared by their words alone
 */
export function lintText({ criteria }: Rubric, meanings: Meanings | null = null): LintNote[] {
  const byMeaning = meanings === null ? [] : lintSameMeaning(criteria, meanings);
  return [...lintSameCheck(criteria), ...lintSameWords(criteria), ...byMeaning];
}

/**
 * @param seen counts of the answers so far
 * @param text what `lintText` said of it
 */
export function lintRubric(
  rubric: Rubric,
  seen: VerdictTally,
  text: readonly LintNote[] = lintText(rubric),
): LintNote[] {
  const { criteria } = rubric;
  const alike = new Map<string, LintNote>();
  for (const note of [...text, ...lintSameVerdicts(criteria, seen)]) {
    const pair = JSON.stringify(note.criteria);
    if (!alike.has(pair)) alike.set(pair, note);
  }
  return [...alike.values(), ...lintExcluding(criteria, seen), ...lintCannotFail(criteria, seen)];
}
