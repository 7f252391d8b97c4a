/**
 * Runs in IndexedDB, the newest checkpoint of the last few of each scenario: where older builds kept them, and where a browser
 * without files of its own still does.
 */
import { openDB, type DBSchema, type IDBPDatabase, type IDBPTransaction } from "idb";
import { PlaygroundError } from "../../base/errors.ts";
import type { SavedRun } from "../protocol/messages.ts";
import { storageFailed, summaries, type RunStore, type StoredRun } from "./run-store.ts";

/** What is listed of a run, without its bytes. */
type About = Omit<SavedRun, "checkpoints" | "openElsewhere">;

/** Version 2. Version 1 held one run a scenario, with its bytes, in a store "runs" keyed by the scenario. */
interface RunDatabase extends DBSchema {
  runs: { key: string; value: About; indexes: { byAge: [scenarioId: string, savedAt: number] } };
  files: { key: string; value: Uint8Array<ArrayBuffer> };
}
type Upgrade = IDBPTransaction<RunDatabase, ("runs" | "files")[], "versionchange">;

const DATABASE = "rubric-playground";
const VERSION = 2;
/** Runs of one scenario that are kept. */
const KEPT_RUNS = 5;

/** Opened at the first use. */
export function createIndexedRunStore(): RunStore {
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
      throw ownedByNewer(doing, error) ?? storageFailed(doing, error);
    }
  };
  return {
    save: (run) => withDatabase("saving the run", (db) => put(db, run)),
    list: () =>
      withDatabase("listing saved runs", async (db) => {
        const runs = (await db.getAll("runs")).map(withCheckpoint);
        return { place: "database", runs: summaries(runs) };
      }),
    load: (id) => withDatabase("loading a run", async (db) => (await db.get("files", id)) ?? null),
    delete: (id) => withDatabase("deleting a run", (db) => remove(db, [id])),
  };
}

async function upgrade(db: IDBPDatabase<RunDatabase>, from: number, transaction: Upgrade): Promise<void> {
  const old =
    from === 1
      ? ((await transaction.objectStore("runs").getAll()) as (About & Pick<StoredRun, "bytes">)[])
      : [];
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
  await transaction.objectStore("runs").put({ ...about, sizeBytes: bytes.length });
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

/** There is only the newest. */
function withCheckpoint(about: About): SavedRun {
  const { id, step, savedAt, sizeBytes } = about;
  return { ...about, checkpoints: [{ id, step, savedAt, sizeBytes }] };
}

function ownedByNewer(doing: string, error: unknown): PlaygroundError | null {
  if (!(error instanceof DOMException) || error.name !== "VersionError") return null;
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
