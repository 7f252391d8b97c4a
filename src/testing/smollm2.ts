/** SmolLM2-135M-Instruct where `npm run fetch-model` lays it, for slow tests. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "./oracle.ts";

export const SMOLLM2 = {
  folder: join(REPOSITORY, ".cache/models/SmolLM2-135M-Instruct"),
  file: "SmolLM2-135M-Instruct.Q4_1.gguf",
} as const;

/** Why tests of it are skipped; null where it is there. */
export function smollm2Missing(): string | null {
  return existsSync(join(SMOLLM2.folder, SMOLLM2.file)) ? null : "no SmolLM2: npm run fetch-model gets it";
}
