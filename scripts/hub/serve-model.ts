/** One model on a hub of its own, for checks and slow tests: random weights at a true shape, or SmolLM2 where it was fetched. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isModelShape, type ModelCut } from "./model-shapes.ts";
import { writeRandomModel } from "./random-model.ts";
import { readRepository } from "./repository.ts";
import { startHub } from "./server.ts";

/** Where the README's `npm run write-model` puts them: what is there is taken. */
const WRITTEN = ".cache/hub/random";
const SMOLLM2 = ".cache/models/SmolLM2-135M-Instruct";
/** Those of a real size. */
export const REAL_MODELS = ["smollm2-135m", "qwen2.5-0.5b", "qwen3-0.6b"] as const;

export interface ServedModel {
  readonly id: string;
  /** The hub's address. */
  readonly endpoint: string;
  readonly close: () => Promise<void>;
}

/**
 * Serves one model; what was written for it is deleted at its end. A sentence instead where it cannot be had.
 * @param name one of REAL_MODELS, or another shape of `npm run write-model`
 * @param cut of a random model
 */
export async function serveModel(name: string, cut: ModelCut = {}): Promise<ServedModel | string> {
  if (name === "smollm2-135m") {
    if (!existsSync(SMOLLM2)) return `${name} is left out: npm run fetch-model gets it`;
    return served(name, SMOLLM2, () => undefined);
  }
  if (!isModelShape(name)) return `${name} is no model here: ${REAL_MODELS.join(", ")}, tiny`;
  const written = join(WRITTEN, name);
  const isCut = cut.layers !== undefined || cut.vocabSize !== undefined;
  if (!isCut && existsSync(join(written, "config.json"))) return served(name, written, () => undefined);
  mkdirSync(".cache", { recursive: true });
  const folder = mkdtempSync(join(".cache", "served-model-"));
  writeRandomModel({ shape: name, folder, seed: 1, shards: 1, cut });
  return served(name, folder, () => {
    rmSync(folder, { recursive: true });
  });
}

async function served(name: string, folder: string, end: () => void): Promise<ServedModel> {
  const id = `local/${name}`;
  const hub = await startHub({ repositories: [await readRepository(id, folder)] });
  return {
    id,
    endpoint: hub.url,
    close: async () => {
      await hub.close();
      end();
    },
  };
}
