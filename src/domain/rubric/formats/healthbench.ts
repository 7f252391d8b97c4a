/**
 * HealthBench jsonl (OpenAI simple-evals): a conversation a row, criteria with points of both signs, category in the `axis:` tag.
 * A criterion below 0 names something bad: it becomes a penalty, met when the answer avoids it. Within a prompt that score is
 * HealthBench's up to a factor and a constant before its clip to [0, 1], so that advantages are the same [ours].
 * Tags that the exporter adds (`id:`, `check:` ...) let our own rubrics come back whole.
 */
import { z } from "zod";
import { checkSpecSchema } from "../schema.ts";
import {
  idSchema,
  NO_CATEGORY,
  numberSchema,
  promptSchema,
  textSchema,
  type DraftCriterion,
} from "./draft.ts";
import { isRecord, listHas, rowFormat } from "./format.ts";
import { below, type Problems } from "./problems.ts";

const criterionSchema = z.strictObject({
  criterion: textSchema,
  points: numberSchema,
  tags: z.array(z.string()).default([]),
});

const rowSchema = z.looseObject({
  prompt_id: idSchema.optional(),
  prompt: promptSchema,
  rubrics: z.array(criterionSchema).min(1),
  example_tags: z.array(z.string()).default([]),
});

const fieldsSchema = z.record(z.string(), z.string());

export const healthBench = rowFormat({
  title: "HealthBench",
  marks: (row) =>
    "prompt" in row &&
    (listHas(row["rubrics"], "points") || (isRecord(row) && "prompt_id" in row && "rubrics" in row)),
  row: rowSchema,
  known: ["prompt_id", "prompt", "rubrics", "example_tags", "ideal_completions_data", "canary"],
  draft: (row, where, problems) => ({
    where,
    promptId: row.prompt_id ?? null,
    messages: row.prompt,
    fields: taggedJson(row.example_tags, "fields", fieldsSchema, { where, problems }) ?? {},
    criteria: row.rubrics.map((each, i): DraftCriterion => {
      const at = below(where, `rubrics[${i}]`);
      const place = tagged(each.tags, "place");
      return {
        where: at,
        text: each.criterion,
        points: each.points,
        category: tagged(each.tags, "axis") ?? NO_CATEGORY,
        id: tagged(each.tags, "id") ?? null,
        required: each.tags.includes("required"),
        penalty: each.tags.includes("penalty"),
        check: taggedJson(each.tags, "check", checkSpecSchema, { where: at, problems }),
        place: place === undefined ? undefined : Number(place),
      };
    }),
  }),
});

function tagged(tags: readonly string[], name: string): string | undefined {
  return tags.find((tag) => tag.startsWith(`${name}:`))?.slice(name.length + 1);
}

function taggedJson<T>(
  tags: readonly string[],
  name: string,
  schema: z.ZodType<T>,
  { where, problems }: { readonly where: string; readonly problems: Problems },
): T | null {
  const text = tagged(tags, name);
  if (text === undefined) return null;
  try {
    return problems.read(schema, JSON.parse(text), below(where, `tag ${name}`));
  } catch {
    problems.add(below(where, `tag ${name}`), "JSON", JSON.stringify(text.slice(0, 40)));
    return null;
  }
}
