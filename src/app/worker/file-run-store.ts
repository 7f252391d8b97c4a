/**
 * Runs as files of the origin's private file system: a folder a run, in it `about.json` (what does not change from step to
 * step) and one record file a checkpoint, `STEP-TIME.ckpt`. Every file is written beside its place and then renamed, so a
 * crash leaves whole files only. Only the tab that has claimed a run writes to its folder.
 */
import { z } from "zod";
import { keptRunSpecSchema } from "../../domain/run/spec.ts";
import type { SavedCheckpoint, SavedRun } from "../protocol/messages.ts";
import { storageFailed, summaries, type RunStore, type StoredRun } from "./run-store.ts";
import { canWriteBeside, writeBeside } from "./write-beside.ts";

/** Runs of one scenario that are kept. */
const KEPT_RUNS = 10;
const ABOUT = "about.json";
const CHECKPOINT = /^(\d+)-(\d+)\.ckpt$/;

const aboutSchema = z.object({
  id: z.string(),
  scenarioId: z.string(),
  maxSteps: z.number(),
  spec: keptRunSpecSchema,
  seeds: z.array(z.number()).optional(),
  model: z.string().optional(),
});

/** The store of this browser's files; null where it has none, or none that it can rename (undefined: plain http). */
export async function openFileRunStore(storage: StorageManager | undefined): Promise<RunStore | null> {
  if (storage === undefined || !canWriteBeside()) return null;
  // asked for at each use: it may have been evicted in between
  const open = async (): Promise<FileSystemDirectoryHandle> =>
    (await storage.getDirectory()).getDirectoryHandle("runs", { create: true });
  try {
    await open();
  } catch {
    return null; // private browsing, blocked site data: the database says what is wrong where it fails too
  }
  return storeIn(open);
}

function storeIn(open: () => Promise<FileSystemDirectoryHandle>): RunStore {
  const using = async <T>(
    doing: string,
    use: (root: FileSystemDirectoryHandle) => Promise<T>,
  ): Promise<T> => {
    try {
      return await use(await open());
    } catch (error) {
      throw storageFailed(doing, error);
    }
  };
  return {
    save: (run) => using("saving the run", (root) => save(root, run)),
    list: () =>
      using("listing saved runs", async (root) => ({ place: "files", runs: summaries(await listAll(root)) })),
    load: (id, checkpoint) => using("loading a run", (root) => load(root, id, checkpoint)),
    delete: (id) => using("deleting a run", (root) => remove(root, id)),
  };
}

async function save(root: FileSystemDirectoryHandle, run: StoredRun): Promise<void> {
  const { bytes, savedAt, step, ...about } = run;
  const folder = await root.getDirectoryHandle(run.id, { create: true });
  await removeUnfinished(folder);
  const name = `${String(step).padStart(8, "0")}-${savedAt}.ckpt`;
  await making(folder, () => writeBeside(folder, name, bytes));
  await writeBeside(folder, ABOUT, JSON.stringify(about));
  const { save_total_limit: limit } = run.spec.grpo;
  // what was written just now stays, whatever the clock says
  const others = (await checkpointsIn(folder)).filter(({ id }) => id !== name);
  const outdated = others.filter((each, i) => each.step === step || i + 1 >= limit);
  for (const { id } of outdated) await folder.removeEntry(id);
  const all = await listAll(root);
  const ofScenario = summaries(all.filter(({ scenarioId }) => scenarioId === run.scenarioId));
  const otherRuns = ofScenario.filter(({ id }) => id !== run.id);
  const room = KEPT_RUNS - (ofScenario.length - otherRuns.length);
  for (const { id } of otherRuns.slice(room)) await remove(root, id);
}

/** Where the storage is full, the run's older checkpoints make room for the new one, all but the newest of them. */
async function making(folder: FileSystemDirectoryHandle, writing: () => Promise<void>): Promise<void> {
  try {
    await writing();
  } catch (error) {
    const [, ...older] = await checkpointsIn(folder);
    if (older.length === 0) throw error;
    for (const { id } of older) await folder.removeEntry(id);
    await writing();
  }
}

/** What a tab that was closed in the middle of saving left beside. */
async function removeUnfinished(folder: FileSystemDirectoryHandle): Promise<void> {
  for (const { name } of await entriesOf(folder)) {
    if (name !== ABOUT && !CHECKPOINT.test(name)) await folder.removeEntry(name, { recursive: true });
  }
}

async function load(
  root: FileSystemDirectoryHandle,
  id: string,
  checkpoint: string | null,
): Promise<Uint8Array | null> {
  const folder = await folderOf(root, id);
  if (folder === null) return null;
  const all = await checkpointsIn(folder);
  const found = checkpoint === null ? all[0] : all.find((each) => each.id === checkpoint);
  if (found === undefined) return null;
  const file = await (await folder.getFileHandle(found.id)).getFile();
  return new Uint8Array(await file.arrayBuffer());
}

async function remove(root: FileSystemDirectoryHandle, id: string): Promise<void> {
  if ((await folderOf(root, id)) !== null) await root.removeEntry(id, { recursive: true });
}

async function folderOf(
  root: FileSystemDirectoryHandle,
  id: string,
): Promise<FileSystemDirectoryHandle | null> {
  const folder = (await entriesOf(root)).find(({ kind, name }) => kind === "directory" && name === id);
  return (folder as FileSystemDirectoryHandle | undefined) ?? null;
}

async function listAll(root: FileSystemDirectoryHandle): Promise<SavedRun[]> {
  const folders = (await entriesOf(root)).filter(({ kind }) => kind === "directory");
  const runs = await Promise.all(folders.map((folder) => describe(folder as FileSystemDirectoryHandle)));
  return runs.filter((run) => run !== null);
}

/** Null for a folder without a checkpoint, or whose settings this build cannot read. */
async function describe(folder: FileSystemDirectoryHandle): Promise<SavedRun | null> {
  const checkpoints = await checkpointsIn(folder);
  const [newest] = checkpoints;
  const about = aboutSchema.safeParse(await readJson(folder, ABOUT));
  if (newest === undefined || !about.success) return null;
  const sizeBytes = checkpoints.reduce((sum, each) => sum + each.sizeBytes, 0);
  return { ...about.data, step: newest.step, savedAt: newest.savedAt, sizeBytes, checkpoints };
}

async function readJson(folder: FileSystemDirectoryHandle, name: string): Promise<unknown> {
  try {
    return JSON.parse(await (await (await folder.getFileHandle(name)).getFile()).text());
  } catch {
    return null;
  }
}

/** Newest first: steps only grow, since a run that is opened at an earlier checkpoint becomes another run. */
async function checkpointsIn(folder: FileSystemDirectoryHandle): Promise<SavedCheckpoint[]> {
  const found: SavedCheckpoint[] = [];
  for (const entry of await entriesOf(folder)) {
    const [id, step, savedAt] = CHECKPOINT.exec(entry.name) ?? [];
    if (id === undefined) continue;
    const { size } = await (entry as FileSystemFileHandle).getFile();
    found.push({ id, step: Number(step), savedAt: Number(savedAt), sizeBytes: size });
  }
  return found.toSorted((a, b) => b.step - a.step || b.savedAt - a.savedAt);
}

async function entriesOf(folder: FileSystemDirectoryHandle): Promise<FileSystemHandle[]> {
  const entries: FileSystemHandle[] = [];
  for await (const entry of folder.values()) entries.push(entry);
  return entries;
}
