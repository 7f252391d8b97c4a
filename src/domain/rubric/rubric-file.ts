/** A rubric alone as a file; formats/ours.ts reads it. */
import type { Rubric } from "./schema.ts";

/** The file's text. */
export function writeRubricFile(rubric: Rubric): string {
  return `${JSON.stringify(rubric, null, 1)}\n`;
}
