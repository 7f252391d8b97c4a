/** From a file's text in any known format to a rubric with its prompts, or one error that names every problem by row and field. */
import { isSettingsFile } from "../../run/settings-file.ts";
import { checkMisfits } from "../check-misfits.ts";
import { problemsError } from "../schema-problems.ts";
import { rubricSchema } from "../schema.ts";
import { assemble } from "./assemble.ts";
import { readDocument, type FileDocument, type ReadFileOptions } from "./file-document.ts";
import { isRecord } from "./format.ts";
import { isOurs, readOurs } from "./ours.ts";
import { Problems } from "./problems.ts";
import { formatNames, formats, formatTitle, type FormatName } from "./registry.ts";
import type { RubricSet } from "./rubric-set.ts";

export interface ImportOptions extends ReadFileOptions {
  /** null: recognised by itself. */
  readonly format?: FormatName | null;
}

export interface ImportedRubric {
  readonly format: FormatName;
  readonly set: RubricSet;
  /** What a person should know, in words. */
  readonly notes: readonly string[];
}

/** @throws PlaygroundError `rubric-invalid`, with up to 20 problems at once; nothing is half taken. */
export function importRubric(text: string, options: ImportOptions): ImportedRubric {
  const problems = new Problems();
  const document = readDocument(text, problems, options);
  if (document === null) throw failed(problems, options.name);
  const format = options.format ?? recognise(document);
  if (format === null) throw failed(tellUnknown(document, problems), options.name);
  const set = read(document, format, { problems, title: titleOf(options.name) });
  if (set === null || problems.list.length > 0) throw failed(problems, options.name);
  const rubric = problems.read(rubricSchema, { title: set.title, criteria: set.criteria }, "");
  // files that were written here bring checks along; a reader of our own file has told its own
  for (const { path, expected, got } of rubric === null || format === "ours" ? [] : checkMisfits(rubric, ""))
    problems.add(path, expected, got);
  if (problems.list.length > 0) throw failed(problems, options.name);
  return { format, set, notes: problems.notes() };
}

/** The first format that the document has the shape of. */
function recognise(document: FileDocument): FormatName | null {
  if (isOurs(document)) return "ours";
  return formatNames.find((name) => name !== "ours" && formats[name].fits(document)) ?? null;
}

function read(
  document: FileDocument,
  format: FormatName,
  { problems, title }: { readonly problems: Problems; readonly title: string },
): RubricSet | null {
  if (format === "ours") return readOurs(document, problems);
  const before = problems.list.length;
  const draft = formats[format].read(document, problems);
  if (draft.rows.length === 0 && problems.list.length === before) {
    problems.add("", `the form of ${formatTitle(format)}`, "nothing of it");
  }
  return draft.rows.length === 0 ? null : assemble(draft, title, problems);
}

function tellUnknown(document: FileDocument, problems: Problems): Problems {
  const rows = document.kind === "value" ? [document.value] : document.rows.map(({ value }) => value);
  const first = rows.find(isRecord);
  if (isSettingsFile(first)) {
    problems.add("", "a rubric", "a run's settings, which open as “A run's settings”");
    return problems;
  }
  const got =
    first === undefined ? "no object at all" : `the fields ${Object.keys(first).slice(0, 12).join(", ")}`;
  problems.add("", `a rubric in one of these forms: ${formatNames.map(formatTitle).join(", ")}`, got);
  return problems;
}

function failed({ list }: Problems, source: string) {
  return problemsError({
    code: "rubric-invalid",
    source,
    problems: list,
    next: "Correct the file and open it again; the rubric in use stays as it is.",
  });
}

/** The file's name without folder and ending. */
function titleOf(name: string): string {
  return name.replace(/^.*[/\\]/, "").replace(/\.[^.]+$/, "") || "Imported rubric";
}
