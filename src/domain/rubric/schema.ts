/**
 * The rubric: what a person edits and what every reward rule reads. Criteria j with human weight w_j > 0 and
 * category k (methods.md notation). The JSON form is validated here and nowhere else.
 */
import { z } from "zod";

/** A programmatic check by its registry name, with its arguments; `negate` turns "contains" into "does not contain". */
export const checkSpecSchema = z.strictObject({
  type: z.string().min(1),
  args: z.record(z.string(), z.unknown()).default({}),
  negate: z.boolean().default(false),
});
export type CheckSpec = z.infer<typeof checkSpecSchema>;

/** Above it a weight leaves nothing to the others. */
export const LARGEST_WEIGHT = 1000;

/** Human weight w_j; 0 = watched, not rewarded. */
export const weightSchema = z
  .number()
  .nonnegative()
  .max(LARGEST_WEIGHT, `a weight is ${LARGEST_WEIGHT} at most`);

export const criterionSchema = z.strictObject({
  /** Stable across edits; alpha and history hang on it. */
  id: z.string().min(1),
  text: z.string().min(1),
  category: z.string().min(1),
  weight: weightSchema,
  /** Counts for "strict completion" and the binary reward. */
  required: z.boolean().default(false),
  /** A failed veto cancels the rest (Rubric Anchors). No reward rule here reads it yet, so true is refused. */
  veto: z
    .boolean()
    .refine((veto) => !veto, "false: no reward rule here reads a veto yet, so it would change nothing")
    .default(false),
  /** null: free words that need a judge; until there is one its verdicts are missing. */
  check: checkSpecSchema.nullable().default(null),
  /** The text names something bad: the verdict is 1 where the answer does not do it. */
  penalty: z.literal(true).exactOptional(),
  /** Ids of the only prompts it counts for; elsewhere its verdict is missing. Left out: all prompts. */
  prompts: z.array(z.string().min(1)).min(1).exactOptional(),
});
export type Criterion = z.infer<typeof criterionSchema>;

export const rubricSchema = z
  .strictObject({
    title: z.string().min(1),
    criteria: z.array(criterionSchema).min(1, "a rubric needs at least one criterion"),
  })
  .superRefine((rubric, context) => {
    const seen = new Set<string>();
    rubric.criteria.forEach((criterion, index) => {
      if (seen.has(criterion.id)) {
        const message = `the id "${criterion.id}" is used twice; ids must differ`;
        context.addIssue({ code: "custom", path: ["criteria", index, "id"], message });
      }
      seen.add(criterion.id);
    });
    if (!rubric.criteria.some((criterion) => criterion.weight > 0)) {
      const message = "all weights are 0; give at least one criterion a weight above 0";
      context.addIssue({ code: "custom", path: ["criteria"], message });
    }
  });
export type Rubric = z.infer<typeof rubricSchema>;

/** What decides whether two versions of a criterion are the same thing to learn: id and check, or id and text where a judge reads it. */
export function criterionIdentity(criterion: Criterion): string {
  const meaning = criterion.check === null ? criterion.text : JSON.stringify(criterion.check);
  return `${criterion.id} ${criterion.penalty === true ? "not " : ""}${meaning}`;
}
