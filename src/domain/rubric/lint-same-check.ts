/** Lint: two criteria that the same check decides with the same arguments. They count twice for one thing. */
import { rewardedPairs, type TextRule } from "./lint-note.ts";
import type { Criterion } from "./schema.ts";

export const lintSameCheck: TextRule = (criteria) =>
  rewardedPairs(criteria)
    .filter(([first, second]) => first.check !== null && decider(first) === decider(second))
    .map(([first, second]) => ({ kind: "same-check", criteria: [first.id, second.id] }));

/** What decides, whatever order its arguments were written in; the opposite of the opposite is the same. */
function decider({ check, penalty }: Criterion): string {
  const inverted = (check?.negate ?? false) !== (penalty === true);
  return JSON.stringify([check?.type, inverted, sorted(check?.args)]);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, each]) => [key, sorted(each)]);
}
