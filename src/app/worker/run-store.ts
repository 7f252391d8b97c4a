/**
 * Runs kept in the browser: the last few of each scenario, as record files in IndexedDB. Knows bytes and what the page
 * lists about them; what a record holds is the trainer's business.
 */
import { openDB, type DBSchema, type IDBPDatabase, type IDBPTransaction } from "idb";
import { PlaygroundError } from "../../base/errors.ts";
import { runSpecSchema } from "../../domain/run/spec.ts";
import type { SavedRun } from "../protocol/messages.ts";

/** One run to keep. */
export interface StoredRun extends SavedRun {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface RunStore {
  /** Replaces what was kept of the same run; of each scenario the newest few runs stay. @throws PlaygroundError `storage-failed`. */
  save(run: StoredRun): Promise<void>;
  /** Newest first; entries whose spec this build cannot read are left out. */
  list(): Promise<SavedRun[]>;
  /** The record file; null when there is no such run. */
  load(id: string): Promise<Uint8Array | null>;
  delete(id: string): Promise<void>;
}

/** Version 2. Version 1 held one run a scenario, with its bytes, in a store "runs" keyed by the scenario. */
interface RunDatabase extends DBSchema {
  runs: { key: string; value: SavedRun; indexes: { byAge: [scenarioId: string, savedAt: number] } };
  files: { key: string; value: Uint8Array<ArrayBuffer> };
}
type Upgrade = IDBPTransaction<RunDatabase, ("runs" | "files")[], "versionchange">;

const DATABASE = "rubric-playground";
const VERSION = 2;
/** Runs of one scenario that are kept. */
const KEPT_RUNS = 5;

/** The store of this browser; opened at the first use. */
export function createBrowserRunStore(): RunStore {
  let opened: Promise<IDBPDatabase<RunDatabase>> | null = null;
  const database = (): Promise<IDBPDatabase<RunDatabase>> => {
    opened ??= openDB<RunDatabase>(DATABASE, VERSION, {
      upgrade: (db, oldVersion, _newVersion, transaction) => {
        void upgrade(db, oldVersion, transaction);
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
    save: (run) => withDatabase("saving the run", (db) => put(db, run)),
    list: () => withDatabase("listing saved runs", async (db) => summaries(await db.getAll("runs"))),
    load: (id) => withDatabase("loading a run", async (db) => (await db.get("files", id)) ?? null),
    delete: (id) => withDatabase("deleting a run", (db) => remove(db, [id])),
  };
}

async function upgrade(db: IDBPDatabase<RunDatabase>, from: number, transaction: Upgrade): Promise<void> {
  const old = from === 1 ? ((await transaction.objectStore("runs").getAll()) as StoredRun[]) : [];
  if (from === 1) db.deleteObjectStore("runs");
  db.createObjectStore("runs", { keyPath: "id" }).createIndex("byAge", ["scenarioId", "savedAt"]);
  db.createObjectStore("files");
  for (const { bytes, ...about } of old) {
    await transaction.objectStore("runs").put(about);
    await transaction.objectStore("files").put(bytes, about.id);
  }
}

/** Summary and bytes in one transaction: both or neither. */
async function put(db: IDBPDatabase<RunDatabase>, { bytes, ...about }: StoredRun): Promise<void> {
  const transaction = db.transaction(["runs", "files"], "readwrite");
  await transaction.objectStore("files").put(bytes, about.id);
  await transaction.objectStore("runs").put(about);
  await transaction.done;
  const { scenarioId } = about;
  const all = IDBKeyRange.bound([scenarioId, Number.NEGATIVE_INFINITY], [scenarioId, Infinity]);
  const oldestFirst = await db.getAllKeysFromIndex("runs", "byAge", all);
  await remove(db, oldestFirst.slice(0, -KEPT_RUNS));
}

async function remove(db: IDBPDatabase<RunDatabase>, ids: readonly string[]): Promise<void> {
  const transaction = db.transaction(["runs", "files"], "readwrite");
  for (const id of ids) {
    await transaction.objectStore("runs").delete(id);
    await transaction.objectStore("files").delete(id);
  }
  await transaction.done;
}

/** What the page lists of stored runs, newest first. */
export function summaries(runs: readonly SavedRun[]): SavedRun[] {
  return runs
    .filter((run) => runSpecSchema.safeParse(run.spec).success)
    .toSorted((a, b) => b.savedAt - a.savedAt);
}

function storageFailed(doing: string, error: unknown): PlaygroundError {
  if (error instanceof DOMException && error.name === "VersionError") {
    return new PlaygroundError(
      {
        code: "storage-failed",
        where: doing,
        expected: `saved runs in the form of this build (version ${VERSION})`,
        got: "saved runs that a newer build owns",
        next: "Reload the page to get the newer build; until then nothing is saved, and what is kept stays as it is.",
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
