/** What changed between two versions of a rubric, and the one sentence that stands beside its mark on the charts. */
import { criterionIdentity, type Criterion, type Rubric } from "../rubric/schema.ts";

export type RubricChange =
  | {
      readonly kind: "added" | "removed" | "meaning" | "category" | "flags" | "wording";
      readonly text: string;
    }
  | { readonly kind: "weight"; readonly text: string; readonly from: number; readonly to: number }
  | { readonly kind: "title" | "order" };

/** Every change, criteria first in the new order, then what was removed. Empty for equal rubrics. */
export function diffRubrics(before: Rubric, after: Rubric): RubricChange[] {
  const old = new Map(before.criteria.map((criterion) => [criterion.id, criterion]));
  const kept = new Set(after.criteria.map((criterion) => criterion.id));
  const changes = after.criteria.flatMap((criterion): RubricChange[] => {
    const earlier = old.get(criterion.id);
    return earlier === undefined ? [{ kind: "added", text: criterion.text }] : changesOf(earlier, criterion);
  });
  for (const criterion of before.criteria) {
    if (!kept.has(criterion.id)) changes.push({ kind: "removed", text: criterion.text });
  }
  if (before.title !== after.title) changes.push({ kind: "title" });
  if (orderOf(before, old, kept) !== orderOf(after, old, kept)) changes.push({ kind: "order" });
  return changes;
}

/** One sentence, e.g. `weight of "names the product" 2 → 10; removed "is short".` */
export function summariseRubricEdit(before: Rubric, after: Rubric): string {
  const said = diffRubrics(before, after).map(sayChange);
  if (said.length === 0) return "Nothing changed.";
  const shown = said.slice(0, 3).join("; ");
  const sentence = said.length > 3 ? `${shown}; and ${said.length - 3} more` : shown;
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

/** Every change with both values as JSON, e.g. `names-product.weight: 1 → 7`: for files, where nothing is left out. */
export function listRubricChanges(before: Rubric, after: Rubric): string[] {
  const old = new Map(before.criteria.map((criterion) => [criterion.id, criterion]));
  const kept = new Set(after.criteria.map((criterion) => criterion.id));
  const changed = after.criteria.flatMap((criterion) => {
    const earlier = old.get(criterion.id);
    if (earlier === undefined) return [`added ${JSON.stringify(criterion)}`];
    return (Object.keys(criterion) as (keyof Criterion)[])
      .map((field) => [field, JSON.stringify(earlier[field]), JSON.stringify(criterion[field])] as const)
      .filter(([, from, to]) => from !== to)
      .map(([field, from, to]) => `${criterion.id}.${field}: ${from} → ${to}`);
  });
  const removed = before.criteria.filter(({ id }) => !kept.has(id)).map(({ id }) => `removed ${id}`);
  const whole: string[] = [];
  if (before.title !== after.title) whole.push(`title: "${before.title}" → "${after.title}"`);
  if (orderOf(before, old, kept) !== orderOf(after, old, kept)) {
    whole.push(`order: ${after.criteria.map(({ id }) => id).join(", ")}`);
  }
  return [...changed, ...removed, ...whole];
}

function changesOf(before: Criterion, after: Criterion): RubricChange[] {
  const { text } = after;
  const changes: RubricChange[] = [];
  if (before.weight !== after.weight) {
    changes.push({ kind: "weight", text, from: before.weight, to: after.weight });
  }
  if (criterionIdentity(before) !== criterionIdentity(after)) changes.push({ kind: "meaning", text });
  else if (before.text !== text) changes.push({ kind: "wording", text });
  if (before.category !== after.category) changes.push({ kind: "category", text });
  if (before.required !== after.required || before.veto !== after.veto) changes.push({ kind: "flags", text });
  return changes;
}

/** The order of the criteria that both versions have. */
function orderOf(rubric: Rubric, old: ReadonlyMap<string, unknown>, kept: ReadonlySet<string>): string {
  const ids = rubric.criteria.map((criterion) => criterion.id);
  return JSON.stringify(ids.filter((id) => old.has(id) && kept.has(id)));
}

function sayChange(change: RubricChange): string {
  switch (change.kind) {
    case "weight":
      return `weight of "${change.text}" ${change.from} → ${change.to}`;
    case "added":
      return `added "${change.text}"`;
    case "removed":
      return `removed "${change.text}"`;
    case "meaning":
      return `changed what "${change.text}" checks`;
    case "wording":
      return `reworded "${change.text}"`;
    case "category":
      return `moved "${change.text}" to another category`;
    case "flags":
      return `changed whether "${change.text}" is required or a veto`;
    case "title":
      return "renamed the rubric";
    case "order":
      return "reordered the criteria";
  }
}
