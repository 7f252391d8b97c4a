/** The hub's server with models of this repository, for tests under Node. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RandomModelOptions, writeRandomModel } from "../../scripts/hub/random-model.ts";
import { readRepository, type HubRepository } from "../../scripts/hub/repository.ts";
import { type Hub, type HubOptions, startHub } from "../../scripts/hub/server.ts";

export interface LocalHub extends Hub {
  /** The first has the id test/tiny; others can be added while it runs. */
  readonly repositories: HubRepository[];
  /** Of the model's files on disk. */
  readonly folder: string;
}

type LocalHubOptions = Omit<HubOptions, "repositories"> &
  Partial<Pick<RandomModelOptions, "shape" | "cut" | "shards">>;

/** A random model as test/tiny, in one file of a tiny Qwen3 unless said otherwise. */
export async function startLocalHub(options: LocalHubOptions = {}): Promise<LocalHub> {
  const folder = mkdtempSync(join(tmpdir(), "local-hub-"));
  const { shape = "tiny", shards = 1, cut = {} } = options;
  writeRandomModel({ shape, folder, seed: 1, shards, cut });
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
