/**
 * Runs kept in the browser: the last run of each scenario, as a record file in IndexedDB. Knows bytes and what
 * the page lists about them; what a record holds is the trainer's business.
 */
import { openDB, type DBSchema, type IDBPDatabase } from "idb";
import { PlaygroundError } from "../../base/errors.ts";
import { runSpecSchema } from "../../domain/run/spec.ts";
import type { SavedRun } from "../protocol/messages.ts";

/** One saved run as it lies in the store. */
export interface StoredRun extends SavedRun {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface RunStore {
  /** Replaces the scenario's earlier run. @throws PlaygroundError `storage-failed`. */
  save(run: StoredRun): Promise<void>;
  /** Newest first; entries whose spec this build cannot read are left out. */
  list(): Promise<SavedRun[]>;
  /** The record file; null when there is no such run. */
  load(id: string): Promise<Uint8Array | null>;
  delete(id: string): Promise<void>;
}

interface RunDatabase extends DBSchema {
  runs: { key: string; value: StoredRun; indexes: { id: string } };
}

const DATABASE = "rubric-playground";

/** The store of this browser; opened at the first use. */
export function createBrowserRunStore(): RunStore {
  let opened: Promise<IDBPDatabase<RunDatabase>> | null = null;
  const database = (): Promise<IDBPDatabase<RunDatabase>> => {
    opened ??= openDB<RunDatabase>(DATABASE, 1, {
      upgrade: (db) => {
        db.createObjectStore("runs", { keyPath: "scenarioId" }).createIndex("id", "id");
      },
      // another tab wants to upgrade or delete it: this one opens it again when it next saves
      blocking: (_current, _wanted, event) => {
        (event.target as IDBDatabase).close();
        opened = null;
      },
      terminated: () => {
        opened = null;
      },
    });
    return opened;
  };
  const withDatabase = async <T>(
    doing: string,
    use: (db: IDBPDatabase<RunDatabase>) => Promise<T>,
  ): Promise<T> => {
    try {
      return await use(await database());
    } catch (error) {
      opened = null;
      throw storageFailed(doing, error);
    }
  };
  return {
    save: (run) =>
      withDatabase("saving the run", async (db) => {
        await db.put("runs", run);
      }),
    list: () => withDatabase("listing saved runs", async (db) => summaries(await db.getAll("runs"))),
    load: (id) =>
      withDatabase("loading a run", async (db) => (await db.getFromIndex("runs", "id", id))?.bytes ?? null),
    delete: (id) =>
      withDatabase("deleting a run", async (db) => {
        const key = await db.getKeyFromIndex("runs", "id", id);
        if (key !== undefined) await db.delete("runs", key);
      }),
  };
}

/** What the page lists of stored runs, newest first. */
export function summaries(runs: readonly StoredRun[]): SavedRun[] {
  return runs
    .filter((run) => runSpecSchema.safeParse(run.spec).success)
    .map(({ id, scenarioId, savedAt, step, maxSteps, sizeBytes, spec }) => ({
      id,
      scenarioId,
      savedAt,
      step,
      maxSteps,
      sizeBytes,
      spec,
    }))
    .sort((a, b) => b.savedAt - a.savedAt);
}

function storageFailed(doing: string, error: unknown): PlaygroundError {
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
