/** Lint: two criteria with equal verdicts on all answers seen, some met and some not. One of them tells nothing new. */
import { LINT_MIN_ANSWERS, rewardedPairs, type SeenRule } from "./lint-note.ts";

/** [ours] So many answers must be met, and as many not: two criteria that are nearly always met agree by themselves. */
const LEAST_OF_EACH = 8;

export const lintSameVerdicts: SeenRule = (criteria, seen) =>
  rewardedPairs(criteria).flatMap(([first, second]) => {
    const { answers, met, same } = seen.pair(first, second);
    const rarer = Math.min(met[0], answers - met[0]);
    if (answers < LINT_MIN_ANSWERS || same < answers || rarer < LEAST_OF_EACH) return [];
    return [{ kind: "same-verdicts", criteria: [first.id, second.id] as const, answers, met: met[0] }];
  });
