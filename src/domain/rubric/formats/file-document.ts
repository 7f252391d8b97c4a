/**
 * From a file's text to values with their places: JSON, JSON lines, YAML or CSV, recognised by what stands there. Knows
 * nothing of rubrics. A line that is half written, or a number that JSON does not have, is a problem with its row.
 */
import Papa from "papaparse";
import { parseDocument } from "yaml";
import type { Problems } from "./problems.ts";

/** One entry of a list, of lines or of a table. */
export interface FileRow {
  readonly value: unknown;
  /** Such as `row 3 (line 5)`. */
  readonly where: string;
}

export type FileDocument =
  | { readonly kind: "rows"; readonly rows: readonly FileRow[] }
  | { readonly kind: "value"; readonly value: unknown }
  /** Cells are texts; `value` of a row is a record by lower-case column. */
  | { readonly kind: "table"; readonly columns: readonly string[]; readonly rows: readonly FileRow[] };

export interface ReadFileOptions {
  /** Its ending decides where the text alone does not. */
  readonly name: string;
  /** Share of the lines read so far, 0 to 1. */
  readonly onProgress?: ((share: number) => void) | undefined;
}

const LINES_A_REPORT = 500;

/** The document; null where nothing of it could be read (the problems say why). */
export function readDocument(
  text: string,
  problems: Problems,
  options: ReadFileOptions,
): FileDocument | null {
  const plain = text.replace(/^\uFEFF/, "");
  if (plain.trim() === "") {
    problems.add("", "a rubric", "an empty file");
    return null;
  }
  if (isTable(plain, options.name)) return readTable(plain, problems);
  if (/\.ya?ml$/i.test(options.name)) return readYaml(plain, problems);
  if (!/^[[{"]/.test(plain.trimStart())) return readYaml(plain, problems);
  return readJson(plain, problems, options);
}

function isTable(text: string, name: string): boolean {
  if (/\.[ct]sv$/i.test(name)) return true;
  if (/\.(jsonl?|ndjson|ya?ml)$/i.test(name) || /^\s*[[{]/.test(text)) return false;
  const first = text.trimStart().split(/\r?\n/, 1)[0] ?? "";
  return /[,;\t]/.test(first) && !/:\s/.test(first);
}

function readJson(text: string, problems: Problems, options: ReadFileOptions): FileDocument | null {
  const lines = /\.(jsonl|ndjson)$/i.test(options.name) || looksLikeLines(text);
  if (lines) return readLines(text, problems, options);
  try {
    return documentOf(JSON.parse(text));
  } catch (cause) {
    problems.add("", "JSON", jsonFault(text, cause));
    return null;
  }
}

/** Objects on lines of their own: the first line is one whole, or the next one begins another. */
function looksLikeLines(text: string): boolean {
  const [first = "", second = ""] = text.trimStart().split(/\r?\n\s*/, 2);
  if (!first.startsWith("{") || second === "") return false;
  return /^\{\s*"/.test(second) || parses(first);
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function readLines(text: string, problems: Problems, { onProgress }: ReadFileOptions): FileDocument {
  const lines = text.split(/\r?\n/);
  const last = lines.findLastIndex((line) => line.trim() !== "");
  const rows: FileRow[] = [];
  let row = 0;
  lines.forEach((line, index) => {
    if (index % LINES_A_REPORT === 0) onProgress?.(index / lines.length);
    if (line.trim() === "") return;
    row += 1;
    const where = `row ${row} (line ${index + 1})`;
    try {
      rows.push({ value: JSON.parse(line), where });
    } catch (cause) {
      const half = index === last && row > 1 && !line.trimEnd().endsWith("}");
      problems.add(
        where,
        half ? "a whole line of JSON" : "JSON",
        half ? halfLine(line) : jsonFault(line, cause),
      );
    }
  });
  return { kind: "rows", rows };
}

function halfLine(line: string): string {
  return `a line that breaks off at ${JSON.stringify(line.slice(-30))}`;
}

/** Python writes NaN and Infinity, which JSON does not have. */
function jsonFault(text: string, cause: unknown): string {
  const odd = /[:[,]\s*(-?(?:NaN|Infinity))\b/.exec(text)?.[1];
  const words = cause instanceof Error ? cause.message : String(cause);
  return odd === undefined ? words : `${odd}, which is no number of JSON`;
}

/** Characters: the parser takes a hundred times their memory, and a text of 50 MB would end the page with all that is in it. */
const MOST_YAML = 10e6;

function readYaml(text: string, problems: Problems): FileDocument | null {
  if (text.length > MOST_YAML) {
    problems.add("", "JSON or JSON lines, or YAML of at most 10 MB", `${(text.length / 1e6).toFixed(1)} MB`);
    return null;
  }
  const document = parseDocument(text, { prettyErrors: true });
  for (const error of document.errors) {
    const line = error.linePos?.[0].line;
    problems.add(line === undefined ? "" : `line ${line}`, "YAML", error.message.split("\n", 1)[0] ?? "");
  }
  if (document.errors.length > 0) return null;
  // a tag that nobody knows here, such as !!js/function: its value is taken as the text that it is
  for (const { message } of document.warnings) problems.note(`YAML: ${message.split("\n", 1)[0] ?? ""}`);
  try {
    return documentOf(document.toJS());
  } catch (cause) {
    problems.add("", "YAML", cause instanceof Error ? cause.message : String(cause));
    return null;
  }
}

function documentOf(value: unknown): FileDocument {
  if (!Array.isArray(value)) return { kind: "value", value };
  return { kind: "rows", rows: value.map((each: unknown, i) => ({ value: each, where: `row ${i + 1}` })) };
}

function readTable(text: string, problems: Problems): FileDocument | null {
  // the parser takes one kind of line end for the whole file; a file that was put together has several
  const plain = text.replace(/\r\n?/g, "\n");
  const { data, errors } = Papa.parse<string[]>(plain, { skipEmptyLines: "greedy", newline: "\n" });
  for (const { row, message, type } of errors) {
    if (type !== "Delimiter") problems.add(row === undefined ? "" : `row ${row}`, "CSV", message);
  }
  const [header, ...lines] = data;
  if (header === undefined) {
    problems.add("", "a first line that names the columns", "nothing in any cell");
    return null;
  }
  const columns = header.map((name) => name.trim().toLowerCase());
  columns.forEach((name, i) => {
    if (name === "") problems.add(`column ${i + 1}`, "a name in the first line", "nothing");
    else if (columns.indexOf(name) !== i)
      problems.add(`column ${i + 1}`, "columns that differ", `"${name}" twice`);
  });
  const rows = lines.map((cells, i) => {
    const where = `row ${i + 1}`;
    if (cells.length !== columns.length) {
      problems.add(where, `${columns.length} cells, as in the first line`, String(cells.length));
    }
    return { value: Object.fromEntries(columns.map((name, at) => [name, cells[at] ?? ""])), where };
  });
  return { kind: "table", columns, rows };
}
