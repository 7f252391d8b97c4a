/** A model's files in a folder of this machine, or one GGUF file. */
import { open, readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { PlaygroundError } from "../base/errors.ts";
import type { ModelSource, RangedFile } from "../engine/weights/model-source.ts";

/** @param path of the folder; of a GGUF file, whose neighbours then do not count */
export function createFolderSource(path: string): ModelSource {
  const isFile = path.toLowerCase().endsWith(".gguf");
  const folder = isFile ? dirname(path) : path;
  return {
    name: isFile ? basename(path).slice(0, -".gguf".length) : basename(path),
    read: async (path) => {
      try {
        const file = await readFile(join(folder, path));
        return new Uint8Array(file.buffer, file.byteOffset, file.length); // a Buffer's slice would not copy
      } catch (cause) {
        if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return null;
        throw unreadable(join(folder, path), cause);
      }
    },
    list: () => (isFile ? Promise.resolve([basename(path)]) : readdir(folder)),
    open: async (path) => {
      const full = join(folder, path);
      const found = await stat(full).catch(() => null);
      return found?.isFile() === true ? rangedFile(path, full, found.size) : null;
    },
  };
}

function rangedFile(path: string, full: string, sizeBytes: number): RangedFile {
  return {
    path,
    sizeBytes,
    read: async (start, end) => {
      try {
        const file = await open(full);
        try {
          const bytes = new Uint8Array(end - start);
          const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
          return bytes.subarray(0, bytesRead);
        } finally {
          await file.close();
        }
      } catch (cause) {
        throw unreadable(full, cause);
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
