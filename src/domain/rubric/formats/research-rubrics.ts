/** ResearchRubrics: a prompt a row and criteria with weights from -5 to 5 and an axis, which is the category. */
import { z } from "zod";
import { idSchema, NO_CATEGORY, numberSchema, promptSchema, textSchema } from "./draft.ts";
import { listHas, rowFormat } from "./format.ts";
import { below } from "./problems.ts";

const weightSchema = numberSchema.refine((weight) => Math.abs(weight) <= 5, "a weight from -5 to 5");

const rowSchema = z.looseObject({
  sample_id: idSchema.optional(),
  prompt: promptSchema,
  rubrics: z
    .array(
      z.strictObject({ criterion: textSchema, weight: weightSchema, axis: z.string().min(1).optional() }),
    )
    .min(1),
});

export const researchRubrics = rowFormat({
  title: "ResearchRubrics",
  marks: (row) => "prompt" in row && listHas(row["rubrics"], "weight"),
  row: rowSchema,
  known: ["sample_id", "prompt", "rubrics", "domain", "conceptual_breadth", "logical_nesting", "exploration"],
  draft: (row, where) => ({
    where,
    promptId: row.sample_id ?? null,
    messages: row.prompt,
    criteria: row.rubrics.map(({ criterion, weight, axis }, i) => ({
      where: below(where, `rubrics[${i}]`),
      text: criterion,
      points: weight,
      category: axis ?? NO_CATEGORY,
    })),
  }),
});
