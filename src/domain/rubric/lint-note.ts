/** What may be wrong with a rubric that is valid, by its words or by the verdicts seen: facts, which the page puts into words. */
import type { VerdictTally } from "./verdict-tally.ts";
import { isRewarded } from "./criteria.ts";
import type { Criterion } from "./schema.ts";

/** Two criteria by their ids, in the rubric's order. */
export type CriterionPair = readonly [string, string];

export type LintNote =
  | { readonly kind: "same-check"; readonly criteria: CriterionPair }
  /** `likeness`: cosine of the wording, 0 to 1. */
  | { readonly kind: "same-words"; readonly criteria: CriterionPair; readonly likeness: number }
  /** `likeness`: cosine of the vectors that the model named by `by` makes of the texts. */
  | {
      readonly kind: "same-meaning";
      readonly criteria: CriterionPair;
      readonly likeness: number;
      readonly by: string;
    }
  /** Equal verdicts on all answers. */
  | {
      readonly kind: "same-verdicts";
      readonly criteria: CriterionPair;
      readonly answers: number;
      readonly met: number;
    }
  /** No answer met both; `byChance` would have, had the two nothing to do with each other. */
  | {
      readonly kind: "excluding";
      readonly criteria: CriterionPair;
      readonly answers: number;
      readonly met: readonly [number, number];
      readonly byChance: number;
    }
  | { readonly kind: "cannot-fail"; readonly criteria: readonly [string]; readonly answers: number };

/** By the words and checks alone. */
export type TextRule = (criteria: readonly Criterion[]) => LintNote[];
/** By the verdicts seen. */
export type SeenRule = (criteria: readonly Criterion[], seen: VerdictTally) => LintNote[];

/** [ours] Fewer answers than a flag needs say nothing about all of them. */
export const LINT_MIN_ANSWERS = 32;

/** Every two rewarded criteria that count for a common prompt: elsewhere they cannot double or hinder each other. */
export function rewardedPairs(criteria: readonly Criterion[]): (readonly [Criterion, Criterion])[] {
  const rewarded = criteria.filter(isRewarded);
  return rewarded.flatMap((first, i) =>
    rewarded
      .slice(i + 1)
      .filter((second) => meet(first, second))
      .map((second) => [first, second] as const),
  );
}

function meet({ prompts: first }: Criterion, { prompts: second }: Criterion): boolean {
  if (first === undefined || second === undefined) return true;
  return first.some((id) => second.includes(id));
}
