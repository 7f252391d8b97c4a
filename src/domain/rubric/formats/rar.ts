/**
 * RaR, Rubrics as Rewards (arXiv 2507.17746): question, reference answer and a rubric whose descriptions begin with their
 * category. The file's own numbers are the weights; where it has words or nothing, the paper's table is.
 */
import { z } from "zod";
import { idSchema, NO_CATEGORY, numberSchema, textSchema, type DraftCriterion } from "./draft.ts";
import { isRecord, listHas, rowFormat } from "./format.ts";
import { below, type Problems } from "./problems.ts";

const TABLE: Readonly<Record<string, number>> = { Essential: 1, Important: 0.7, Optional: 0.3, Pitfall: 0.9 };
const PREFIX = /^(Essential|Important|Optional|Pitfall)(?: Criteria)?:\s*/i;

const wordSchema = z
  .string()
  .regex(/^(essential|important|optional|pitfall)( criteria)?$/i)
  .transform((word) => capital(word.split(" ", 1)[0] ?? ""));

const criterionSchema = z.strictObject({
  title: z.string().optional(),
  description: textSchema,
  weight: z
    .union([wordSchema, numberSchema], {
      error: "a finite number or Essential, Important, Optional, Pitfall",
    })
    .optional(),
});
type RarCriterion = z.output<typeof criterionSchema>;

const parsedText = z.preprocess(
  (value) => (typeof value === "string" ? jsonOr(value) : value),
  z.array(criterionSchema).min(1),
);

const rowSchema = z.looseObject({
  id: idSchema.optional(),
  question: textSchema,
  rubric: parsedText,
  rubric_count: numberSchema.optional(),
});

export const rar = rowFormat({
  title: "RaR (Rubrics as Rewards)",
  marks: (row) =>
    "question" in row &&
    "rubric" in row &&
    (typeof row["rubric"] === "string"
      ? isRecord(firstOf(row["rubric"]))
      : listHas(row["rubric"], "description") || "rubric_count" in row),
  row: rowSchema,
  known: ["id", "question", "reference_answer", "question_source", "rubric", "rubric_list", "rubric_count"],
  draft: (row, where, problems) => {
    const count = row.rubric_count;
    if (count !== undefined && count !== row.rubric.length) {
      problems.add(
        below(where, "rubric_count"),
        `${row.rubric.length}, as many as the rubric has`,
        String(count),
      );
    }
    tellMixed(row.rubric, where, problems);
    return {
      where,
      promptId: row.id ?? null,
      messages: [{ role: "user", content: row.question }],
      criteria: row.rubric.map((each, i) => draftOf(each, below(where, `rubric[${i}]`), problems)),
    };
  },
});

function draftOf({ description, weight }: RarCriterion, where: string, problems: Problems): DraftCriterion {
  const prefix = PREFIX.exec(description);
  const category =
    typeof weight === "string" ? weight : prefix?.[1] === undefined ? NO_CATEGORY : capital(prefix[1]);
  const points = typeof weight === "number" ? weight : TABLE[category];
  if (points === undefined) {
    problems.add(
      below(where, "weight"),
      "a number, or a description that begins with its category",
      "neither",
    );
  }
  return { where, text: description.replace(PREFIX, "") || description, points: points ?? 1, category };
}

/** Words stand for 0.3 to 1, numbers for anything: one prompt cannot have both. */
function tellMixed(rubric: readonly RarCriterion[], where: string, problems: Problems): void {
  const numbers = rubric.filter(({ weight }) => typeof weight === "number").length;
  if (numbers === 0 || numbers === rubric.length) return;
  problems.add(
    below(where, "rubric"),
    "weights of one kind, all numbers or all words",
    `${numbers} numbers of ${rubric.length}`,
  );
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase();
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function firstOf(text: string): unknown {
  const value = jsonOr(text);
  return Array.isArray(value) ? value[0] : value;
}
