/** A table: one criterion a line, with columns for its text, weight, category, id, and the prompt it belongs to. */
import { numberSchema, type DraftCriterion, type DraftRow } from "./draft.ts";
import type { FileRow } from "./file-document.ts";
import { tellUnknown, type RubricFormat, type Values } from "./format.ts";
import { below, type Problems } from "./problems.ts";

/** Column names that mean the same. */
const NAMES = {
  text: ["criterion", "text", "description", "criteria"],
  points: ["weight", "points", "score"],
  category: ["category", "axis"],
  id: ["id", "name"],
  prompt: ["prompt", "question", "instruction"],
  promptId: ["prompt_id"],
  required: ["required"],
} as const;
type Field = keyof typeof NAMES;
const KNOWN: readonly string[] = Object.values(NAMES).flat();

export const csv: RubricFormat = {
  title: "CSV",
  fits: (document) => document.kind === "table",
  read: (document, problems) => {
    if (document.kind !== "table") return { rows: [] };
    const columns = columnsOf(document.columns, problems);
    if (columns.text === undefined) {
      problems.add("columns", `one called ${NAMES.text.join(", ")}`, document.columns.join(", "));
      return { rows: [] };
    }
    const header = Object.fromEntries(document.columns.map((name) => [name, true]));
    tellUnknown(header, KNOWN, "columns", problems);
    return { rows: rowsOf(document.rows, columns, problems) };
  },
};

type Columns = Partial<Record<Field, string>>;

function columnsOf(columns: readonly string[], problems: Problems): Columns {
  const found = (Object.keys(NAMES) as Field[]).map((field) => {
    const own = columns.filter((name) => (NAMES[field] as readonly string[]).includes(name));
    if (own.length > 1) problems.add("columns", `one for the ${field}`, own.join(" and "));
    return [field, own[0]] as const;
  });
  return Object.fromEntries(found);
}

/** Lines of one prompt stand together, wherever they are in the file. */
function rowsOf(lines: readonly FileRow[], columns: Columns, problems: Problems): DraftRow[] {
  const byPrompt = new Map<string, DraftCriterion[]>();
  const prompts = new Map<string, DraftRow>();
  for (const { value, where } of lines) {
    const cell = (field: Field): string => cellOf(value as Values, columns[field]);
    const content = cell("prompt");
    const key = JSON.stringify([cell("promptId"), content]);
    if (columns.prompt !== undefined && content === "")
      problems.add(below(where, columns.prompt), "a prompt", "nothing");
    const drafted = draftOf(cell, columns, where, problems);
    const criteria = byPrompt.get(key) ?? [];
    if (drafted !== null) criteria.push(drafted);
    byPrompt.set(key, criteria);
    if (prompts.has(key)) continue;
    const messages = columns.prompt === undefined ? null : [{ role: "user" as const, content }];
    const at = columns.prompt === undefined ? "" : where;
    prompts.set(key, { where: at, promptId: cell("promptId") || null, messages, criteria });
  }
  return [...prompts.values()];
}

function cellOf(value: Values, column: string | undefined): string {
  const cell = column === undefined ? "" : value[column];
  return typeof cell === "string" ? cell.trim() : "";
}

function draftOf(
  cell: (field: Field) => string,
  columns: Columns,
  where: string,
  problems: Problems,
): DraftCriterion | null {
  const text = cell("text");
  if (text === "") problems.add(below(where, columns.text ?? "text"), "the criterion's words", "nothing");
  const points =
    columns.points === undefined
      ? 1
      : problems.read(numberSchema, cell("points"), below(where, columns.points));
  const required = cell("required").toLowerCase();
  if (!["", "true", "false", "yes", "no", "1", "0"].includes(required)) {
    problems.add(below(where, "required"), "true or false", JSON.stringify(required));
  }
  if (text === "" || points === null) return null;
  return {
    where,
    text,
    points,
    category: cell("category") || undefined,
    id: cell("id") || null,
    required: ["true", "yes", "1"].includes(required),
  };
}
