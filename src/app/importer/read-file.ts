/** From a file's bytes to the rubric in it: its size and encoding are checked here, its form by the domain. */
import { PlaygroundError } from "../../base/errors.ts";
import { importRubric, type ImportedRubric } from "../../domain/rubric/formats/import-rubric.ts";
import type { ImportJob } from "./messages.ts";

const MOST_BYTES = 50 * 1024 * 1024;

/** @throws PlaygroundError `rubric-invalid`, naming every problem */
export async function readFile(
  { file, name, format }: ImportJob,
  onProgress: (share: number) => void,
): Promise<ImportedRubric> {
  if (file.size > MOST_BYTES) {
    throw unread(
      name,
      "a file of at most 50 MB",
      `${(file.size / 1024 / 1024).toFixed(1)} MB`,
      "Open a part of it.",
    );
  }
  const bytes = await file.arrayBuffer();
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw unread(name, "text in UTF-8", "bytes that are none", "Save it as UTF-8 and open it again.");
  }
  return importRubric(text, { name, format, onProgress });
}

function unread(where: string, expected: string, got: string, next: string): PlaygroundError {
  return new PlaygroundError({ code: "rubric-invalid", where, expected, got, next });
}
