/**
 * From prompts with criteria of their own to one rubric: a criterion that stands at several prompts in the same words is one
 * criterion, and `prompts` says where it counts; one that stands at all of them counts everywhere [ours].
 */
import type { ScenarioPrompt } from "../../run/spec.ts";
import { LARGEST_WEIGHT, type Criterion } from "../schema.ts";
import { NO_CATEGORY, type Draft, type DraftCriterion, type DraftRow } from "./draft.ts";
import { below, type Problems } from "./problems.ts";
import type { RubricSet } from "./rubric-set.ts";

/** Weights of one prompt that are this far apart leave nothing to the small ones. */
const WIDE_SCALE = 100;

interface Merged {
  readonly criterion: Criterion;
  readonly prompts: string[];
  readonly place: number;
}

/** The set; what is wrong is added to the problems, and then it is not to be used. */
export function assemble(draft: Draft, title: string, problems: Problems): RubricSet {
  const prompts = promptsOf(draft.rows, problems);
  const merged = new Map<string, Merged>();
  draft.rows.forEach((row, r) => {
    checkRow(row, problems);
    const promptId = row.messages === null ? null : (prompts[r]?.id ?? null);
    const seen = new Set<string>();
    row.criteria.forEach((each, c) => {
      checkCriterion(each, problems);
      const content = contentOf(each);
      const key = each.id == null ? JSON.stringify(content) : `id ${each.id}`;
      const known = merged.get(key);
      if (!isFresh(each, content, { twice: seen.has(key), known, problems })) return;
      seen.add(key);
      if (known !== undefined) {
        if (promptId !== null) known.prompts.push(promptId);
        return;
      }
      const id = each.id ?? (draft.rows.length === 1 ? `c${c + 1}` : `p${r + 1}-c${c + 1}`);
      const own = promptId === null ? [] : [promptId];
      merged.set(key, { criterion: { id, ...content }, prompts: own, place: each.place ?? merged.size });
    });
  });
  return {
    title: draft.title ?? title,
    criteria: criteriaOf([...merged.values()], prompts, problems),
    prompts,
  };
}

interface Before {
  /** The same prompt has it already. */
  readonly twice: boolean;
  readonly known: Merged | undefined;
  readonly problems: Problems;
}

/** False where the criterion adds nothing to its prompt: said twice, or under an id that is another's. */
function isFresh(
  { id = null, where }: DraftCriterion,
  content: Omit<Criterion, "id">,
  { twice, known, problems }: Before,
): boolean {
  if (id === null) {
    if (twice) problems.note("the same criterion twice in one prompt counts once");
    return !twice;
  }
  if (twice) problems.add(below(where, "id"), "ids that differ", `"${id}" twice`);
  else if (known !== undefined && JSON.stringify(known.criterion) !== JSON.stringify({ id, ...content })) {
    problems.add(below(where, "id"), `the same criterion as the "${id}" before it`, "another one of that id");
  }
  return true;
}

function criteriaOf(
  merged: readonly Merged[],
  prompts: readonly ScenarioPrompt[],
  problems: Problems,
): Criterion[] {
  if (merged.length === 0) problems.add("", "at least one criterion", "none");
  const ids = new Set<string>();
  const placed = merged.toSorted((a, b) => a.place - b.place);
  return placed.map(({ criterion, prompts: own }) => {
    let { id } = criterion;
    for (let n = 2; ids.has(id); n++) id = `${criterion.id}-${n}`;
    ids.add(id);
    const everywhere = own.length === prompts.length;
    return everywhere ? { ...criterion, id } : { ...criterion, id, prompts: own };
  });
}

function contentOf({
  text,
  points,
  category,
  required,
  penalty,
  check,
}: DraftCriterion): Omit<Criterion, "id"> {
  const bad = points < 0 || penalty === true;
  return {
    text,
    category: category === undefined || category === "" ? NO_CATEGORY : category,
    weight: Math.abs(points),
    required: required ?? false,
    veto: false,
    check: check ?? null,
    ...(bad ? { penalty: true as const } : {}),
  };
}

function promptsOf(rows: readonly DraftRow[], problems: Problems): ScenarioPrompt[] {
  const places = new Map<string, string>();
  return rows.flatMap(({ messages, promptId, fields, where }, i) => {
    if (messages === null) return [];
    const id = promptId ?? `prompt-${i + 1}`;
    const before = places.get(id);
    if (before !== undefined)
      problems.add(where, `prompt ids that differ (${before} has the same)`, `"${id}" twice`);
    places.set(id, where);
    return [{ id, messages: [...messages], fields: { ...fields } }];
  });
}

function checkCriterion({ points, where }: DraftCriterion, problems: Problems): void {
  if (Math.abs(points) <= LARGEST_WEIGHT) return;
  problems.add(below(where, "weight"), `a weight of ${LARGEST_WEIGHT} at most`, String(points));
}

/** A prompt's score is its share of the positive points: without one there is no score. */
function checkRow({ criteria, where }: DraftRow, problems: Problems): void {
  if (criteria.length === 0) return;
  const sizes = criteria.map(({ points }) => Math.abs(points)).filter((size) => size > 0);
  const positive = criteria.some(({ points, penalty }) => points > 0 && penalty !== true);
  if (sizes.length === 0) problems.add(where, "at least one weight above 0", "weights of 0 alone");
  else if (!positive) problems.add(where, "at least one criterion with positive points", "penalties alone");
  if (sizes.length > 0 && Math.max(...sizes) > WIDE_SCALE * Math.min(...sizes)) {
    problems.note(`the largest weight of a prompt is more than ${WIDE_SCALE} times its smallest`);
  }
}
