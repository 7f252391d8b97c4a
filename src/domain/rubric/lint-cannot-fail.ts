/** Lint: a criterion that every answer seen met. Unlike the flag "saturated" it looks back on all of them, and tolerates none. */
import { isRewarded } from "./criteria.ts";
import { LINT_MIN_ANSWERS, type SeenRule } from "./lint-note.ts";

export const lintCannotFail: SeenRule = (criteria, seen) =>
  criteria.filter(isRewarded).flatMap((criterion) => {
    const { answers, met } = seen.criterion(criterion);
    if (answers < LINT_MIN_ANSWERS || met < answers) return [];
    return [{ kind: "cannot-fail", criteria: [criterion.id] as const, answers }];
  });
