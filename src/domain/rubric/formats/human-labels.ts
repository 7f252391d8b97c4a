/**
 * People's verdicts on answers, as CSV or JSON (a list or lines): answer, criterion (its id or its words), met, and the prompt
 * where it matters. Every fault is told with its row and field.
 */
import type { PlaygroundError } from "../../../base/errors.ts";
import { problemsError } from "../schema-problems.ts";
import type { Rubric } from "../schema.ts";
import { readDocument, type FileRow } from "./file-document.ts";
import { below, Problems } from "./problems.ts";

/** A person's verdict on an answer under a criterion of the rubric. */
interface ReadLabel {
  readonly prompt: string | null;
  readonly answer: string;
  readonly criterionId: string;
  /** Whether the criterion's words are met. */
  readonly met: boolean;
}

const MET: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  "1": true,
  met: true,
  false: false,
  no: false,
  "0": false,
  "not met": false,
};

/**
 * The labels of a text.
 * @param name of the file, or what it is
 * @throws PlaygroundError `rubric-invalid`, naming every problem
 */
export function readHumanLabels(text: string, rubric: Rubric, name: string): readonly ReadLabel[] {
  const problems = new Problems();
  const document = readDocument(text, problems, { name });
  const rows = document === null ? [] : rowsOf(document);
  const labels = rows.flatMap((row) => readLabel(row, rubric, problems) ?? []);
  if (problems.list.length === 0 && labels.length === 0) problems.add("", "at least one label", "none");
  if (problems.list.length > 0) throw refused(name, problems);
  return labels;
}

function rowsOf(document: NonNullable<ReturnType<typeof readDocument>>): readonly FileRow[] {
  if (document.kind !== "value") return document.rows;
  return [{ value: document.value, where: "the label" }];
}

function readLabel({ value, where }: FileRow, rubric: Rubric, problems: Problems): ReadLabel | null {
  const row = typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  const text = (field: string): string => {
    const cell = row[field];
    const plain = typeof cell === "string" || typeof cell === "number" || typeof cell === "boolean";
    return plain ? String(cell) : "";
  };
  const wanted = text("criterion").trim();
  const criterion = rubric.criteria.find(({ id, text: words }) => wanted === id || wanted === words);
  const word = text("met").trim().toLowerCase();
  const met = Object.hasOwn(MET, word) ? MET[word] : undefined;
  if (!("answer" in row)) problems.add(below(where, "answer"), "the answer's text", "nothing");
  if (criterion === undefined)
    problems.add(
      below(where, "criterion"),
      "the id or the words of one of the rubric's criteria",
      said(wanted),
    );
  if (met === undefined) problems.add(below(where, "met"), "yes or no, true or false, 1 or 0", said(word));
  if (criterion === undefined || met === undefined || !("answer" in row)) return null;
  const prompt = text("prompt");
  return { prompt: prompt === "" ? null : prompt, answer: text("answer"), criterionId: criterion.id, met };
}

const said = (text: string): string => (text === "" ? "nothing" : `"${text}"`);

function refused(name: string, { list }: Problems): PlaygroundError {
  const next = "Columns or fields are: answer, criterion, met, and prompt where it matters.";
  return problemsError({ code: "rubric-invalid", source: name, problems: list, next });
}
