/** A model's files in a folder of this machine. */
import { readFile } from "node:fs/promises";
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

function unreadable(where: string, cause: unknown): PlaygroundError {
  const got = cause instanceof Error ? cause.message : String(cause);
  const next = "Check the folder and its permissions.";
  return new PlaygroundError(
    { code: "model-fetch-failed", where, expected: "a readable file", got, next },
    { cause },
  );
}
