/** What goes between the page and the importer's worker: a file in, progress and the rubric or a fault out. */
import type { FaultMessage } from "../../base/errors.ts";
import type { ImportedRubric } from "../../domain/rubric/formats/import-rubric.ts";
import type { FormatName } from "../../domain/rubric/formats/registry.ts";

export interface ImportJob {
  readonly file: Blob;
  readonly name: string;
  /** null: recognised by itself. */
  readonly format: FormatName | null;
}

export type FromImporter =
  /** Share of the file that was read, 0 to 1. */
  { readonly progress: number } | { readonly imported: ImportedRubric } | { readonly fault: FaultMessage };
