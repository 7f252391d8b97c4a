/** Models by folder and by file on the command line. */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { loadModel } from "../engine/weights/load-model.ts";
import { createFolderSource } from "./folder-source.ts";

const FIXTURES = fileURLToPath(new URL("../testing/fixtures/gguf/", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "models-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

it("opens the GGUF file that is named, whatever lies beside it", async () => {
  for (const name of ["llama", "qwen3"]) cpSync(join(FIXTURES, `${name}.gguf`), join(folder, `${name}.gguf`));
  const model = await loadModel(createFolderSource(join(folder, "qwen3.gguf")));
  expect(model).toMatchObject({ name: "qwen3", config: { architecture: "qwen3" } });
  await expect(loadModel(createFolderSource(folder))).rejects.toThrow("one GGUF file");
});

it("says which file is not there", async () => {
  await expect(loadModel(createFolderSource(join(folder, "none.gguf")))).rejects.toThrow("none.gguf");
});
