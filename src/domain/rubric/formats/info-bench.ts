/** InFoBench (arXiv 2401.03601): an instruction with yes/no questions that decompose it, all of one weight; labels are categories. */
import { z } from "zod";
import { idSchema, NO_CATEGORY, textSchema } from "./draft.ts";
import { rowFormat } from "./format.ts";
import { below } from "./problems.ts";

const rowSchema = z.looseObject({
  id: idSchema.optional(),
  input: z.string().default(""),
  instruction: textSchema,
  decomposed_questions: z.array(textSchema).min(1),
  question_label: z.array(z.array(z.string())).optional(),
});

export const infoBench = rowFormat({
  title: "InFoBench",
  marks: (row) => "decomposed_questions" in row,
  row: rowSchema,
  known: ["id", "input", "category", "instruction", "decomposed_questions", "subset", "question_label"],
  draft: (row, where, problems) => {
    const { question_label: labels, decomposed_questions: questions } = row;
    if (labels !== undefined && labels.length !== questions.length) {
      problems.add(
        below(where, "question_label"),
        `${questions.length} labels, one a question`,
        String(labels.length),
      );
    }
    const content = row.input.trim() === "" ? row.instruction : `${row.instruction}\n\n${row.input.trim()}`;
    return {
      where,
      promptId: row.id ?? null,
      messages: [{ role: "user", content }],
      criteria: questions.map((text, i) => ({
        where: below(where, `decomposed_questions[${i}]`),
        text,
        points: 1,
        category: labels?.[i]?.[0] ?? NO_CATEGORY,
      })),
    };
  },
});
