/** Where the bundled models lie in the working tree, for tests that read them under Node. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const MODELS = fileURLToPath(new URL("../../models/", import.meta.url));

/** Folders below models/ that hold all of these files; the one that ships with the page is the first. */
export function bundledModelFolders(...files: readonly string[]): string[] {
  if (!existsSync(MODELS)) return [];
  return readdirSync(MODELS)
    .toSorted()
    .map((name) => join(MODELS, name))
    .filter((folder) => files.every((file) => existsSync(join(folder, file))));
}

/** The reason to skip a test of what ships, null when there is such a folder. */
export function bundledModelMissing(...files: readonly string[]): string | null {
  const found = bundledModelFolders(...files).length > 0;
  return found ? null : `no folder below models/ with ${files.join(" and ")}`;
}
