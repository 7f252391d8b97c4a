/** RubricHub: a conversation a row and `Rubrics` with points; the row's `ability` is the category. */
import { z } from "zod";
import { idSchema, NO_CATEGORY, numberSchema, promptSchema, textSchema } from "./draft.ts";
import { rowFormat } from "./format.ts";
import { below } from "./problems.ts";

const rowSchema = z.looseObject({
  id: idSchema.optional(),
  prompt: promptSchema,
  Rubrics: z
    .array(z.strictObject({ criterion: textSchema, points: numberSchema, tags: z.unknown().optional() }))
    .min(1),
  ability: z.string().optional(),
});

export const rubricHub = rowFormat({
  title: "RubricHub",
  marks: (row) => "Rubrics" in row,
  row: rowSchema,
  known: ["id", "prompt", "Rubrics", "ability", "data_source", "reward_model", "extra_info"],
  draft: (row, where) => ({
    where,
    promptId: row.id ?? null,
    messages: row.prompt,
    criteria: row.Rubrics.map(({ criterion, points }, i) => ({
      where: below(where, `Rubrics[${i}]`),
      text: criterion,
      points,
      category: row.ability ?? NO_CATEGORY,
    })),
  }),
});
