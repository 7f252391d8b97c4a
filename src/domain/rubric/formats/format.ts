/** What a format is: one file each, one line in the registry. */
import type { z } from "zod";
import type { Draft, DraftRow } from "./draft.ts";
import type { FileDocument, FileRow } from "./file-document.ts";
import { below, type Problems } from "./problems.ts";

export interface RubricFormat {
  /** As the page names it. */
  readonly title: string;
  /** True where the document has the format's shape; it may still be broken. */
  fits(document: FileDocument): boolean;
  /** Its prompts and criteria; what is wrong is added to the problems. */
  read(document: FileDocument, problems: Problems): Draft;
}

interface RowFormat<Row> {
  readonly title: string;
  /** Fields that tell the format. */
  readonly marks: (row: Readonly<Record<string, unknown>>) => boolean;
  readonly row: z.ZodType<Row>;
  /** Fields of a row that are known and change no score. */
  readonly known: readonly string[];
  readonly draft: (row: Row, where: string, problems: Problems) => DraftRow | null;
}

export type Values = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether any entry of a list has the field. */
export function listHas(list: unknown, field: string): boolean {
  return Array.isArray(list) && list.some((each) => isRecord(each) && field in each);
}

/** Fields of a row that nobody knows here but whose names say that they change the score. */
const SCORING = /weight|point|scor|threshold|scale|aggregat|negat|invert|penal|multipl|veto|bonus/i;

/** A format with one prompt and its criteria in each row. */
export function rowFormat<Row>(def: RowFormat<Row>): RubricFormat {
  return {
    title: def.title,
    fits: (document) => firstRows(document).some((row) => isRecord(row) && def.marks(row)),
    read: (document, problems) => ({
      rows: rowsOf(document).flatMap(({ value, where }) => {
        const row = problems.read(def.row, value, where);
        if (isRecord(value)) tellUnknown(value, def.known, where, problems);
        const drafted = row === null ? null : def.draft(row, where, problems);
        return drafted === null ? [] : [drafted];
      }),
    }),
  };
}

/** A row alone is a file of one. */
function rowsOf(document: FileDocument): readonly FileRow[] {
  return document.kind === "value" ? [{ value: document.value, where: "row 1" }] : document.rows;
}

const LOOKED_AT = 20;

function firstRows(document: FileDocument): readonly unknown[] {
  if (document.kind === "table") return [];
  return rowsOf(document)
    .slice(0, LOOKED_AT)
    .map(({ value }) => value);
}

export function tellUnknown(row: Values, known: readonly string[], where: string, problems: Problems): void {
  for (const field of Object.keys(row)) {
    if (known.includes(field)) continue;
    if (SCORING.test(field)) {
      problems.add(below(where, field), "only fields whose part in the score is known", "an unknown one");
    } else problems.note(`the field "${field}" is not used`);
  }
}
