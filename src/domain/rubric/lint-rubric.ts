/** All that lint says of a rubric. Two criteria that are alike in several ways are told of once, by the plainest. */
import { lintCannotFail } from "./lint-cannot-fail.ts";
import { lintExcluding } from "./lint-excluding.ts";
import type { LintNote } from "./lint-note.ts";
import { lintSameCheck } from "./lint-same-check.ts";
import { lintSameVerdicts } from "./lint-same-verdicts.ts";
import { lintSameWords } from "./lint-same-words.ts";
import type { Rubric } from "./schema.ts";
import type { VerdictTally } from "./verdict-tally.ts";

/** Ways to be alike, the plainest first. */
const ALIKE = [lintSameCheck, lintSameWords, lintSameVerdicts];

/** @param seen counts of the answers so far */
export function lintRubric({ criteria }: Rubric, seen: VerdictTally): LintNote[] {
  const alike = new Map<string, LintNote>();
  for (const note of ALIKE.flatMap((rule) => rule(criteria, seen))) {
    const pair = JSON.stringify(note.criteria);
    if (!alike.has(pair)) alike.set(pair, note);
  }
  return [...alike.values(), ...lintExcluding(criteria, seen), ...lintCannotFail(criteria, seen)];
}
