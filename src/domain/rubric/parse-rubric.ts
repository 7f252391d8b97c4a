/** From a file's text or any value to a valid rubric, or one error that names every problem. */
import { rubricSchema, type Rubric } from "./schema.ts";
import { parseJson, problemsError, problemsOf } from "./schema-problems.ts";

/**
 * The rubric in a JSON text or value, defaults filled in.
 * @param source what is read, as a person knows it: a file name, "the rubric"
 * @throws PlaygroundError `rubric-invalid`, with up to 20 problems at once
 */
export function parseRubric(input: unknown, source = "rubric"): Rubric {
  const value = typeof input === "string" ? parseJson(input, "rubric-invalid", source) : input;
  const result = rubricSchema.safeParse(value);
  if (result.success) return result.data;
  throw problemsError({
    code: "rubric-invalid",
    source,
    problems: problemsOf(result.error, value),
    next: "Correct the rubric and try again; the one in use stays as it is.",
  });
}
