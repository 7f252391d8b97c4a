/** Which criteria count for what: rewarded ones, their categories, and the ones an answer must meet. */
import type { Criterion } from "./schema.ts";

/** Weight 0 = watched, not rewarded. */
export function isRewarded(criterion: Criterion): boolean {
  return criterion.weight > 0;
}

/** Indices of the rewarded criteria by category, categories in the order of their first criterion. */
export function rewardedByCategory(criteria: readonly Criterion[]): Map<string, number[]> {
  const categories = new Map<string, number[]>();
  criteria.forEach((criterion, index) => {
    if (!isRewarded(criterion)) return;
    const indices = categories.get(criterion.category);
    if (indices === undefined) categories.set(criterion.category, [index]);
    else indices.push(index);
  });
  return categories;
}

/** Indices of the criteria that an answer must meet: the rewarded ones marked required, or all rewarded ones where none is. */
export function mustPass(criteria: readonly Criterion[]): number[] {
  const rewarded = criteria.flatMap((criterion, index) => (isRewarded(criterion) ? [index] : []));
  const required = rewarded.filter((index) => criteria[index]?.required === true);
  return required.length > 0 ? required : rewarded;
}
