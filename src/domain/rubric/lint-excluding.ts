/** Lint: two criteria that no answer seen met together, though each was met often enough that some should have. */
import { LINT_MIN_ANSWERS, rewardedPairs, type SeenRule } from "./lint-note.ts";

/**
 * [ours] Answers that would meet both, had the two nothing to do with each other (the product of the rates). At 8 of them
 * none at all comes about by chance in e^-8, 3 of 10,000 pairs.
 */
const LEAST_BY_CHANCE = 8;

export const lintExcluding: SeenRule = (criteria, seen) =>
  rewardedPairs(criteria).flatMap(([first, second]) => {
    const { answers, met, both } = seen.pair(first, second);
    const byChance = answers === 0 ? 0 : (met[0] * met[1]) / answers;
    if (answers < LINT_MIN_ANSWERS || both > 0 || byChance < LEAST_BY_CHANCE) return [];
    return [{ kind: "excluding", criteria: [first.id, second.id] as const, answers, met, byChance }];
  });
