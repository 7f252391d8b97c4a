/** Edits of a rubric as pure functions; each returns a new rubric. Ids of criteria never change and are never used again. */
import type { Criterion, Rubric } from "../../domain/rubric/schema.ts";
import { rubricSchema } from "../../domain/rubric/schema.ts";

export function replaceCriterion(rubric: Rubric, criterion: Criterion): Rubric {
  return { ...rubric, criteria: rubric.criteria.map((old) => (old.id === criterion.id ? criterion : old)) };
}

export function setWeight(rubric: Rubric, id: string, weight: number): Rubric {
  return { ...rubric, criteria: rubric.criteria.map((old) => (old.id === id ? { ...old, weight } : old)) };
}

/** Added behind the last criterion of its category. */
export function addCriterion(rubric: Rubric, criterion: Criterion): Rubric {
  const last = rubric.criteria.findLastIndex((old) => old.category === criterion.category);
  const at = last === -1 ? rubric.criteria.length : last + 1;
  return { ...rubric, criteria: rubric.criteria.toSpliced(at, 0, criterion) };
}

export function removeCriterion(rubric: Rubric, id: string): Rubric {
  return { ...rubric, criteria: rubric.criteria.filter((old) => old.id !== id) };
}

/** An id that none of the given ones equals: alpha and history hang on it, so removed criteria's ids count too. */
export function freshCriterionId(used: Iterable<string>): string {
  const taken = new Set(used);
  for (let n = 1; ; n++) {
    const id = `own-${n}`;
    if (!taken.has(id)) return id;
  }
}

/** What is wrong with a rubric, in the schema's words; null when it can be trained on. */
export function rubricProblem(rubric: Rubric): string | null {
  const parsed = rubricSchema.safeParse(rubric);
  return parsed.success ? null : parsed.error.issues.map((issue) => issue.message).join("; ");
}

export interface CategoryRows {
  readonly category: string;
  readonly criteria: readonly Criterion[];
  /** Sum of the category's weights, W_k. */
  readonly weight: number;
}

/** The criteria by category, categories in the order of their first criterion. */
export function byCategory(rubric: Rubric): readonly CategoryRows[] {
  const groups = new Map<string, Criterion[]>();
  for (const criterion of rubric.criteria) {
    groups.set(criterion.category, [...(groups.get(criterion.category) ?? []), criterion]);
  }
  return [...groups].map(([category, criteria]) => ({
    category,
    criteria,
    weight: criteria.reduce((sum, criterion) => sum + criterion.weight, 0),
  }));
}
