/**
 * Runs kept in the browser, each with its newest checkpoints: what a store does, and which one this browser has. Knows bytes
 * and what the page lists about them; what a record holds is the trainer's business.
 */
import { PlaygroundError } from "../../base/errors.ts";
import { keptRunSpecSchema } from "../../domain/run/spec.ts";
import type { RunPlace, SavedRun } from "../protocol/messages.ts";

/** One checkpoint to keep. */
export interface StoredRun extends Omit<SavedRun, "checkpoints" | "sizeBytes" | "openElsewhere"> {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface RunStore {
  /** Adds a checkpoint; of each run the newest `save_total_limit` stay. @throws PlaygroundError `storage-failed` or `storage-full`. */
  save(run: StoredRun): Promise<void>;
  /** Newest first; entries whose spec this build cannot read are left out. */
  list(): Promise<{ readonly place: RunPlace; readonly runs: SavedRun[] }>;
  /** The record file of a checkpoint, null = the newest; null when there is none. */
  load(id: string, checkpoint: string | null): Promise<Uint8Array | null>;
  delete(id: string): Promise<void>;
}

/** What the page lists of stored runs, newest first. */
export function summaries(runs: readonly SavedRun[]): SavedRun[] {
  return runs
    .flatMap((run) => {
      const spec = keptRunSpecSchema.safeParse(run.spec);
      return spec.success ? [{ ...run, spec: spec.data }] : [];
    })
    .toSorted((a, b) => b.savedAt - a.savedAt);
}

/**
 * Files where the browser has them, beside what an older build kept in the database; the database alone elsewhere.
 * @param files null where this browser keeps no files for a site
 */
export function createRunStore(files: () => Promise<RunStore | null>, database: RunStore): RunStore {
  let chosen: Promise<RunStore> | null = null;
  const store = (): Promise<RunStore> => {
    chosen ??= files().then((found) => (found === null ? database : besideOlder(found, database)));
    return chosen;
  };
  return {
    save: async (run) => (await store()).save(run),
    list: async () => (await store()).list(),
    load: async (id, checkpoint) => (await store()).load(id, checkpoint),
    delete: async (id) => (await store()).delete(id),
  };
}

/** Runs of an older build are offered from where it kept them; one that was gone on with moves over. */
function besideOlder(files: RunStore, older: RunStore): RunStore {
  let left: Promise<SavedRun[]> | null = null;
  const olderRuns = (): Promise<SavedRun[]> => {
    left ??= older.list().then(
      ({ runs }) => runs,
      () => [], // a database that cannot be read holds nothing that could be offered
    );
    return left;
  };
  const deleteOlder = async (id: string): Promise<void> => {
    if (!(await olderRuns()).some((run) => run.id === id)) return;
    await older.delete(id);
    left = null;
  };
  return {
    save: async (run) => {
      await files.save(run);
      await deleteOlder(run.id);
    },
    list: async () => {
      const { place, runs } = await files.list();
      const known = new Set(runs.map(({ id }) => id));
      const rest = (await olderRuns()).filter(({ id }) => !known.has(id));
      return { place, runs: summaries([...runs, ...rest]) };
    },
    load: async (id, checkpoint) => {
      const found = await files.load(id, checkpoint);
      if (found !== null || !(await olderRuns()).some((run) => run.id === id)) return found;
      return older.load(id, checkpoint);
    },
    delete: async (id) => {
      await files.delete(id);
      await deleteOlder(id);
    },
  };
}

/** Whatever a store's browser API threw, as the product's own fault. */
export function storageFailed(doing: string, error: unknown): PlaygroundError {
  if (error instanceof PlaygroundError) return error;
  if (error instanceof DOMException && error.name === "QuotaExceededError") {
    return new PlaygroundError(
      {
        code: "storage-full",
        where: doing,
        expected: "room in this site's share of the browser's storage",
        got: "none left",
        next: "The run goes on; delete saved runs or free space on the disk, and it is kept again.",
      },
      { cause: error },
    );
  }
  return new PlaygroundError(
    {
      code: "storage-failed",
      where: doing,
      expected: "the browser's storage to answer",
      got: error instanceof Error ? error.message : String(error),
      next: "The run goes on; free some storage or leave private browsing to keep it over a reload.",
    },
    { cause: error },
  );
}
