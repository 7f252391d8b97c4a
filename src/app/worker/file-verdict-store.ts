/**
 * Verdicts as files of the origin's private file system: a folder a judge (named by the hash of what its verdicts depend on), in
 * it lists of verdicts as JSON lines, `TIME-N.jsonl`, each written beside its place and then renamed. The oldest lists go first.
 */
import { z } from "zod";
import { MOST_ANSWERS, type KeptVerdict } from "../../training/judges/verdict-cache.ts";
import { hex } from "./hex.ts";
import type { VerdictStore } from "./verdict-memory.ts";
import { canWriteBeside, writeBeside } from "./write-beside.ts";

const FOLDER = "verdicts";
/** [ours] Of all judges together. */
const MOST_BYTES = 32e6;
/** Lists of a judge that are read one by one; more are made one when they are read. */
const MOST_LISTS = 16;

/** answer, criterion, verdict, reason, and the chance of a judge that tells one. */
const lineSchema = z.tuple([z.string(), z.string(), z.number(), z.string(), z.number().nullable()]);

interface List {
  readonly folder: FileSystemDirectoryHandle;
  readonly name: string;
  readonly sizeBytes: number;
}

interface StoreDeps {
  readonly storage: StorageManager | undefined;
  /** Milliseconds since 1970. */
  readonly wallClock: () => number;
  readonly mostBytes?: number;
}

/** null where this browser keeps no files for a site, or none that it can rename (undefined: plain http). */
export function openFileVerdictStore({
  storage,
  wallClock,
  mostBytes = MOST_BYTES,
}: StoreDeps): VerdictStore | null {
  if (storage === undefined || !canWriteBeside()) return null;
  let written = 0;
  const nextName = (): string =>
    `${String(wallClock()).padStart(14, "0")}-${String(++written).padStart(6, "0")}.jsonl`;
  // asked for at each use: it may have been evicted in between
  const root = async (): Promise<FileSystemDirectoryHandle> =>
    (await storage.getDirectory()).getDirectoryHandle(FOLDER, { create: true });
  const folderOf = async (judge: string): Promise<FileSystemDirectoryHandle> =>
    (await root()).getDirectoryHandle(await hashOf(judge), { create: true });
  return {
    load: async (judge) => {
      const folder = await folderOf(judge);
      const lists = await listsIn(folder);
      const verdicts: KeptVerdict[] = [];
      for (const { name } of lists) verdicts.push(...read(await textOf(folder, name)));
      if (lists.length <= MOST_LISTS) return verdicts;
      const newest = verdicts.slice(-MOST_ANSWERS);
      await write(folder, nextName(), newest);
      for (const { name } of lists) await folder.removeEntry(name);
      return newest;
    },
    append: async (judge, verdicts) => {
      await write(await folderOf(judge), nextName(), verdicts);
      await makeRoom(await root(), mostBytes);
    },
    sizeBytes: async () => sum(await allLists(await root())),
    clear: async () => {
      await (await storage.getDirectory()).removeEntry(FOLDER, { recursive: true });
    },
  };
}

async function hashOf(judge: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(judge));
  return hex(new Uint8Array(digest));
}

async function write(
  folder: FileSystemDirectoryHandle,
  name: string,
  verdicts: readonly KeptVerdict[],
): Promise<void> {
  const lines = verdicts.map(({ answer, criterion, verdict, reason, pYes }) =>
    JSON.stringify([answer, criterion, verdict, reason, pYes ?? null]),
  );
  await writeBeside(folder, name, lines.join("\n"));
}

/** A line that is damaged costs its own verdict. */
function read(text: string): KeptVerdict[] {
  return text.split("\n").flatMap((line) => {
    const kept = lineSchema.safeParse(parsed(line));
    if (!kept.success) return [];
    const [answer, criterion, verdict, reason, pYes] = kept.data;
    return [{ answer, criterion, verdict, reason, ...(pYes === null ? {} : { pYes }) }];
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

async function textOf(folder: FileSystemDirectoryHandle, name: string): Promise<string> {
  return (await (await folder.getFileHandle(name)).getFile()).text();
}

/** Whole ones, oldest first. */
async function listsIn(folder: FileSystemDirectoryHandle): Promise<List[]> {
  const lists: List[] = [];
  for await (const entry of folder.values()) {
    if (entry.kind !== "file" || !entry.name.endsWith(".jsonl")) continue;
    lists.push({ folder, name: entry.name, sizeBytes: (await entry.getFile()).size });
  }
  return lists.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function allLists(root: FileSystemDirectoryHandle): Promise<List[]> {
  const lists: List[] = [];
  for await (const entry of root.values())
    if (entry.kind === "directory") lists.push(...(await listsIn(entry)));
  return lists.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function makeRoom(root: FileSystemDirectoryHandle, mostBytes: number): Promise<void> {
  const lists = await allLists(root);
  let bytes = sum(lists);
  for (const { folder, name, sizeBytes } of lists) {
    if (bytes <= mostBytes) return;
    await folder.removeEntry(name);
    bytes -= sizeBytes;
  }
}

const sum = (lists: readonly List[]): number => lists.reduce((total, { sizeBytes }) => total + sizeBytes, 0);
