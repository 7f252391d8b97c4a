/** Short ways to write rubrics and verdicts in tests. */
import { createRng, type Rng } from "../base/rng.ts";
import { criterionSchema, type Criterion } from "../domain/rubric/schema.ts";
import type { Verdict } from "../domain/rubric/verdicts.ts";

/** Criteria c0, c1, ... from weights and one category letter each. */
export function makeCriteria(weights: readonly number[], categories: string): Criterion[] {
  return weights.map((weight, index) =>
    criterionSchema.parse({
      id: `c${index}`,
      text: `criterion ${index}`,
      category: categories[index],
      weight,
    }),
  );
}

/** methods.md section 1, "Test vector": three criteria of A, one of B, four rollouts. */
export const vectorCriteria = makeCriteria([5, 3, 2, 4], "AAAB");
export const vectorVerdicts: readonly (readonly Verdict[])[] = [
  [1, 1, 0, 1],
  [1, 0, 0, 0],
  [1, 1, 0, 1],
  [1, 0, 0, 1],
];

/** A random rubric of 1 to 12 criteria in up to four categories, some of weight 0, at least one above. */
export function randomCriteria(rng: Rng): Criterion[] {
  const count = 1 + rng.below(12);
  const weights = Array.from({ length: count }, () => (rng.next() < 0.15 ? 0 : 0.1 + 10 * rng.next()));
  weights[rng.below(count)] = 3;
  const categories = Array.from({ length: count }, () => "ABCD"[rng.below(4)]).join("");
  return makeCriteria(weights, categories);
}

/** Random verdicts, a share of them missing. */
export function randomVerdicts(rng: Rng, count: number, missing: number): Verdict[] {
  return Array.from({ length: count }, () => {
    if (rng.next() < missing) return null;
    return rng.next() < 0.5 ? rng.below(2) : rng.next();
  });
}

/** A stream for one case of a property test. */
export function caseRng(property: string, index: number): Rng {
  return createRng(1, property, index);
}
