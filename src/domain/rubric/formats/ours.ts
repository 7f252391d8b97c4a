/** Our own file, JSON or YAML: the rubric as it is here, with its prompts where it has them. It needs no drafting. */
import { checkMisfits } from "../check-misfits.ts";
import { isRecord, listHas, type Values } from "./format.ts";
import type { FileDocument } from "./file-document.ts";
import type { Problems } from "./problems.ts";
import { rubricSetSchema, type RubricSet } from "./rubric-set.ts";

export function isOurs(document: FileDocument): boolean {
  if (document.kind !== "value" || !isRecord(document.value)) return false;
  const value: Values = document.value;
  return Array.isArray(value["criteria"]) && !listHas(value["criteria"], "name");
}

/** The set, or null with its problems added. */
export function readOurs(document: FileDocument, problems: Problems): RubricSet | null {
  const set = problems.read(rubricSetSchema, document.kind === "value" ? document.value : null, "");
  if (set === null) return null;
  const { title, criteria, prompts } = set;
  for (const { path, expected, got } of checkMisfits({ title, criteria }, ""))
    problems.add(path, expected, got);
  return { title, criteria, prompts };
}
