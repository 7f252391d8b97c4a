/**
 * What a file brings: a rubric and, where the file has them, the prompts that it scores. Our own file is this form as JSON or
 * YAML; without prompts it is a rubric alone. `public/rubric.schema.json` is written from here, for editors.
 */
import { z } from "zod";
import { scenarioPromptSchema } from "../../run/spec.ts";
import { rubricSchema } from "../schema.ts";

export const rubricSetSchema = z
  .strictObject({
    $schema: z.string().optional().describe("Where an editor finds this description."),
    ...rubricSchema.shape,
    prompts: z
      .array(scenarioPromptSchema)
      .default([])
      .describe("What is asked; a criterion with `prompts` counts for those alone."),
  })
  .superRefine(({ criteria, prompts }, context) => {
    const known = new Set<string>();
    prompts.forEach(({ id }, index) => {
      if (known.has(id)) {
        const message = `the id "${id}" is used twice; ids must differ`;
        context.addIssue({ code: "custom", path: ["prompts", index, "id"], message });
      }
      known.add(id);
    });
    criteria.forEach((criterion, index) => {
      const stray = prompts.length === 0 ? undefined : criterion.prompts?.find((id) => !known.has(id));
      if (stray === undefined) return;
      const message = `ids of the file's prompts; there is no "${stray}"`;
      context.addIssue({ code: "custom", path: ["criteria", index, "prompts"], message });
    });
  });

export type RubricSet = Omit<z.output<typeof rubricSetSchema>, "$schema">;

/** Our file as a JSON Schema; what only its parts together can break (ids that differ, one weight above 0) it cannot say. */
export function rubricJsonSchema(): object {
  return { title: "Rubric", ...z.toJSONSchema(rubricSetSchema, { io: "input", target: "draft-7" }) };
}
