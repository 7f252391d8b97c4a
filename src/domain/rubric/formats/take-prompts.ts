/** Some of a set's prompts, drawn by a seed, with the criteria that count for any of them: a benchmark has more than a run can use. */
import { createRng, shuffled } from "../../../base/rng.ts";
import type { RubricSet } from "./rubric-set.ts";

/** In a drawn order, so that whatever is held out of them is drawn too. A set without prompts stays whole. */
export function takePrompts(set: RubricSet, count: number, seed: number): RubricSet {
  if (set.prompts.length === 0) return set;
  const prompts = shuffled(set.prompts, createRng(seed, "imported-prompts")).slice(0, count);
  const taken = new Set(prompts.map(({ id }) => id));
  const criteria = set.criteria.flatMap(({ prompts: own, ...criterion }) => {
    if (own === undefined) return [criterion];
    const left = own.filter((id) => taken.has(id));
    if (left.length === 0) return [];
    return left.length === taken.size ? [criterion] : [{ ...criterion, prompts: left }];
  });
  return { ...set, criteria, prompts };
}

/** A run scores every answer by every criterion of its rubric, and the page has a row for each. */
const MOST_CRITERIA = 120;
const MOST_PROMPTS = 64;

/** How many prompts to begin with: as many as a rubric of at most 120 criteria can score, up to 64, at least one. */
export function suggestedPrompts(set: RubricSet, seed: number): number {
  let low = 1;
  let high = Math.min(MOST_PROMPTS, set.prompts.length);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (takePrompts(set, middle, seed).criteria.length <= MOST_CRITERIA) low = middle;
    else high = middle - 1;
  }
  return low;
}
