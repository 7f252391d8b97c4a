/** Which criteria count for what: rewarded ones, their categories, and the ones an answer must meet. */
import type { Criterion } from "./schema.ts";

/** Weight 0 = watched, not rewarded. */
export function isRewarded(criterion: Criterion): boolean {
  return criterion.weight > 0;
}

/** Ends the id of a held-out prompt that stands on both sides for want of others: what counts for the one counts for its copy. */
export const HELD_OUT_COPY = "-held-out";

/** Whether the criterion counts for a prompt. */
export function appliesTo({ prompts }: Criterion, promptId: string): boolean {
  if (prompts === undefined || prompts.includes(promptId)) return true;
  return promptId.endsWith(HELD_OUT_COPY) && prompts.includes(promptId.slice(0, -HELD_OUT_COPY.length));
}

/** The criteria as they count for a prompt: one that does not apply is neither rewarded nor required there. */
export function criteriaFor(criteria: readonly Criterion[], promptId: string): readonly Criterion[] {
  if (criteria.every((criterion) => appliesTo(criterion, promptId))) return criteria;
  return criteria.map((criterion) =>
    appliesTo(criterion, promptId) ? criterion : { ...criterion, weight: 0, required: false },
  );
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
