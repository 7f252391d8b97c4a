/** The hub's server with models of this repository, for tests under Node. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeRandomModel } from "../../scripts/hub/random-model.ts";
import { readRepository, type HubRepository } from "../../scripts/hub/repository.ts";
import { type Hub, type HubOptions, startHub } from "../../scripts/hub/server.ts";

export interface LocalHub extends Hub {
  /** The first has the id test/tiny; others can be added while it runs. */
  readonly repositories: HubRepository[];
  /** Of the model's files on disk. */
  readonly folder: string;
}

/** A tiny random Qwen3 as test/tiny; `shards` as in `writeRandomModel`. */
export async function startLocalHub(
  options: Omit<HubOptions, "repositories"> & { readonly shards?: number } = {},
): Promise<LocalHub> {
  const folder = mkdtempSync(join(tmpdir(), "local-hub-"));
  writeRandomModel({ shape: "tiny", folder, seed: 1, shards: options.shards ?? 1 });
  const repositories = [await readRepository("test/tiny", folder)];
  const hub = await startHub({ ...options, repositories });
  return {
    ...hub,
    repositories,
    folder,
    close: async () => {
      await hub.close();
      rmSync(folder, { recursive: true });
    },
  };
}
