/**
 * Strict completion: the answer meets every required criterion (all rewarded ones where none is marked required).
 * The binary reward, the metric `strict_completion` and the solved groups are all this one rule.
 * methods.md section 1; formula [ours].
 */
import { mustPass } from "./criteria.ts";
import { meanOf, type Maybe } from "./moments.ts";
import type { Criterion } from "./schema.ts";
import type { Verdict, VerdictMatrix } from "./verdicts.ts";

/** 1 or 0; null when a verdict that decides it is missing. */
export function strictlyComplete(criteria: readonly Criterion[], verdicts: readonly Verdict[]): Maybe {
  const deciding = mustPass(criteria).map((index) => verdicts[index] ?? null);
  if (deciding.length === 0 || deciding.includes(null)) return null;
  return deciding.every((verdict) => verdict === 1) ? 1 : 0;
}

/** Answers to one prompt. */
export interface PromptVerdicts {
  /** As they count for this prompt (`criteriaFor`): one that does not apply to it is no miss. */
  readonly criteria: readonly Criterion[];
  /** [G][C] */
  readonly verdicts: VerdictMatrix;
}

/** Share of the answers that are strictly complete, over those that could be told. */
export function strictCompletionRate(groups: readonly PromptVerdicts[]): Maybe {
  return meanOf(
    groups.flatMap(({ criteria, verdicts }) => verdicts.map((row) => strictlyComplete(criteria, row))),
  );
}
