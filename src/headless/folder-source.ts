/** A model's files in a folder of this machine. */
import { readFile, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { PlaygroundError } from "../base/errors.ts";
import type { ModelSource } from "../engine/weights/model-source.ts";

export function createFolderSource(folder: string): ModelSource {
  return {
    name: basename(folder),
    read: async (path) => {
      try {
        const file = await readFile(join(folder, path));
        return new Uint8Array(file.buffer, file.byteOffset, file.length); // a Buffer's slice would not copy
      } catch (cause) {
        if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return null;
        throw unreadable(join(folder, path), cause);
      }
    },
  };
}

/** The one model under a folder. @throws PlaygroundError `config-invalid` when there is none, or more than one. */
export async function findOnlyModel(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const models = entries.filter((entry) => entry.isDirectory()).map((entry) => join(folder, entry.name));
  const [only] = models;
  if (models.length === 1 && only !== undefined) return only;
  throw new PlaygroundError({
    code: "config-invalid",
    where: folder,
    expected: "one model",
    got: models.length === 0 ? "none" : models.join(", "),
    next: "Name the model's folder with --model.",
  });
}

function unreadable(where: string, cause: unknown): PlaygroundError {
  const got = cause instanceof Error ? cause.message : String(cause);
  const next = "Check the folder and its permissions.";
  return new PlaygroundError(
    { code: "model-fetch-failed", where, expected: "a readable file", got, next },
    { cause },
  );
}
