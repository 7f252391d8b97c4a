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

/** A place in the table. */
export interface Place {
  readonly category: string;
  /** How many of the category's other criteria stand above it. */
  readonly at: number;
}

/** The criterion at another place; the others of each category keep their order and stand together. */
export function moveCriterion(rubric: Rubric, id: string, { category, at }: Place): Rubric {
  const moved = rubric.criteria.find((criterion) => criterion.id === id);
  if (moved === undefined) return rubric;
  const rows = byCategory(rubric);
  const own = { ...moved, category };
  const known = rows.some((row) => row.category === category);
  const criteria = rows.flatMap((row) => {
    const others = row.criteria.filter((criterion) => criterion.id !== id);
    return row.category === category ? others.toSpliced(at, 0, own) : others;
  });
  return { ...rubric, criteria: known ? criteria : [...criteria, own] };
}

export type MoveStep = "up" | "down" | "category before" | "category after";

/** Where one step takes a criterion; at the edge of a category it goes into the next one. null where there is nothing beyond. */
export function placeAfter(rubric: Rubric, id: string, step: MoveStep): Place | null {
  const rows = byCategory(rubric);
  const k = rows.findIndex(({ criteria }) => criteria.some((criterion) => criterion.id === id));
  const own = rows[k];
  if (own === undefined) return null;
  const at = own.criteria.findIndex((criterion) => criterion.id === id);
  if (step === "up" && at > 0) return { category: own.category, at: at - 1 };
  if (step === "down" && at < own.criteria.length - 1) return { category: own.category, at: at + 1 };
  const isForth = step === "down" || step === "category after";
  const next = rows[isForth ? k + 1 : k - 1];
  if (next === undefined) return null;
  return { category: next.category, at: step === "down" ? 0 : next.criteria.length };
}

/** Where a dragged criterion is held: over another row's upper or lower half, or over a category's name. */
export type Over =
  | { readonly kind: "row"; readonly id: string; readonly below: boolean }
  | { readonly kind: "category"; readonly category: string };

/** The place that is meant; null where the row is the dragged one itself, or gone. */
export function placeAt(rubric: Rubric, dragged: string, over: Over): Place | null {
  if (over.kind === "category") return { category: over.category, at: 0 };
  const row = rubric.criteria.find(({ id }) => id === over.id);
  if (row === undefined || row.id === dragged) return null;
  const others = rubric.criteria.filter(({ id, category }) => id !== dragged && category === row.category);
  return { category: row.category, at: others.indexOf(row) + (over.below ? 1 : 0) };
}
