/** A rubric alone as a file, out and in. */
import { checkMisfits } from "./check-misfits.ts";
import { parseRubric } from "./parse-rubric.ts";
import { problemsError } from "./schema-problems.ts";
import type { Rubric } from "./schema.ts";

/** The file's text. */
export function writeRubricFile(rubric: Rubric): string {
  return `${JSON.stringify(rubric, null, 1)}\n`;
}

/** The rubric in a file's text, its checks tried on their arguments. @throws PlaygroundError `rubric-invalid`, naming every problem. */
export function parseRubricFile(text: string, source: string): Rubric {
  const rubric = parseRubric(text, source);
  const problems = checkMisfits(rubric, "");
  if (problems.length === 0) return rubric;
  throw problemsError({
    code: "rubric-invalid",
    source,
    problems,
    next: "Correct the rubric and try again; the one in use stays as it is.",
  });
}
