import { deleteDB } from "idb";
import { beforeEach, expect, test } from "vitest";
import { fakeSpec } from "../../testing/fake-run.ts";
import { openFileRunStore } from "./file-run-store.ts";
import { createIndexedRunStore } from "./indexed-run-store.ts";
import { createRunStore, type RunStore, type StoredRun } from "./run-store.ts";

let store: RunStore;
let root: FileSystemDirectoryHandle;
beforeEach(async () => {
  await deleteDB("rubric-playground");
  root = await navigator.storage.getDirectory();
  await root.getDirectoryHandle("runs", { create: true });
  await root.removeEntry("runs", { recursive: true });
  store = createRunStore(() => openFileRunStore(navigator.storage), createIndexedRunStore());
});

function stored(id: string, step: number, savedAt: number, scenarioId = "a"): StoredRun {
  const spec = fakeSpec({ scenarioId }, { save_total_limit: 3 });
  const bytes = Uint8Array.from([step, savedAt]);
  return { id, scenarioId, savedAt, step, maxSteps: 12, spec, seeds: [7], model: "m", bytes };
}

const folder = async (id: string): Promise<FileSystemDirectoryHandle> =>
  (await root.getDirectoryHandle("runs")).getDirectoryHandle(id);
async function names(id: string): Promise<string[]> {
  const all: string[] = [];
  for await (const name of (await folder(id)).keys()) all.push(name);
  return all.toSorted();
}

test("keeps the last three checkpoints of a run, each with its size, and gives back any of them", async () => {
  for (const [step, at] of [
    [5, 1],
    [10, 2],
    [15, 3],
    [15, 4], // paused where a checkpoint was just kept
    [20, 5],
  ] as const)
    await store.save(stored("one", step, at));
  await store.save(stored("two", 5, 9));
  const { place, runs } = await store.list();
  expect(place).toBe("files");
  expect(runs.map(({ id, step, sizeBytes, model }) => [id, step, sizeBytes, model])).toEqual([
    ["two", 5, 2, "m"],
    ["one", 20, 6, "m"],
  ]);
  const checkpoints = runs[1]?.checkpoints ?? [];
  expect(checkpoints.map(({ step, savedAt }) => [step, savedAt])).toEqual([
    [20, 5],
    [15, 4],
    [10, 2],
  ]);
  expect(await store.load("one", null)).toEqual(Uint8Array.from([20, 5]));
  expect(await store.load("one", checkpoints[2]?.id ?? "")).toEqual(Uint8Array.from([10, 2]));
  expect(await store.load("one", "00000005-1.ckpt")).toBeNull();
  await store.delete("one");
  await store.delete("nobody");
  expect(await store.load("one", null)).toBeNull();
  expect((await store.list()).runs.map(({ id }) => id)).toEqual(["two"]);
});

test("a tab that ends in the middle of saving leaves the checkpoint before it whole", async () => {
  await store.save(stored("one", 5, 1));
  const half = await (await folder("one")).getFileHandle("00000010-2.ckpt.part", { create: true });
  const stream = await half.createWritable();
  await stream.write("half");
  await stream.close();
  expect((await store.list()).runs[0]?.checkpoints.map(({ step }) => step)).toEqual([5]);
  expect(await store.load("one", null)).toEqual(Uint8Array.from([5, 1]));
  await store.save(stored("one", 10, 3));
  expect(await names("one")).toEqual(["00000005-1.ckpt", "00000010-3.ckpt", "about.json"]);
});

/** Writes fail as on a full disk from now on, so many times. */
function fill(times: number): () => void {
  const streams = FileSystemWritableFileStream.prototype;
  const write = Reflect.get(streams, "write") as (content: unknown) => Promise<void>;
  let left = times;
  const refuse = function (this: FileSystemWritableFileStream, content: unknown): Promise<void> {
    return left-- > 0
      ? Promise.reject(new DOMException("full", "QuotaExceededError"))
      : write.call(this, content);
  };
  Reflect.set(streams, "write", refuse);
  return () => Reflect.set(streams, "write", write);
}

test("a full storage costs older checkpoints first; then it is said, and the newest one stays", async () => {
  for (const step of [5, 10]) await store.save(stored("one", step, step));
  let mend = fill(1);
  try {
    await store.save(stored("one", 15, 15));
  } finally {
    mend();
  }
  expect(await names("one")).toEqual(["00000010-10.ckpt", "00000015-15.ckpt", "about.json"]);
  mend = fill(9);
  try {
    await expect(store.save(stored("one", 20, 20))).rejects.toMatchObject({
      code: "storage-full",
      message: expect.stringContaining("delete saved runs") as string,
    });
  } finally {
    mend();
  }
  expect(await names("one")).toEqual(["00000015-15.ckpt", "about.json"]);
  expect(await store.load("one", null)).toEqual(Uint8Array.from([15, 15]));
});

test("storage that was evicted under the page is filled anew by the next checkpoint", async () => {
  await store.save(stored("one", 5, 1));
  await root.removeEntry("runs", { recursive: true });
  expect((await store.list()).runs).toEqual([]);
  expect(await store.load("one", null)).toBeNull();
  await store.save(stored("one", 10, 2));
  expect((await store.list()).runs).toMatchObject([{ id: "one", step: 10 }]);
});

test("keeps the newest ten runs of a scenario, and leaves out what this build cannot read", async () => {
  await store.save(stored("other", 5, 0, "b"));
  for (let i = 1; i <= 12; i++) await store.save(stored(`run-${i}`, 5, i));
  const ids = (await store.list()).runs.map(({ id }) => id);
  expect(ids).toEqual([...Array.from({ length: 10 }, (_, i) => `run-${12 - i}`), "other"]);
  const spec = { scenarioId: "a", grpo: { save_total_limit: 3 } } as StoredRun["spec"];
  await store.save({ ...stored("odd", 5, 99), spec });
  expect((await store.list()).runs.map(({ id }) => id)).toEqual(ids);
});

test("what is saved stays, also where the clock was set back meanwhile", async () => {
  for (let i = 1; i <= 10; i++) await store.save(stored(`run-${i}`, 5, 1000 + i));
  await store.save(stored("now", 5, 9));
  await store.save(stored("now", 5, 7)); // paused where a checkpoint was just kept, the clock set back again
  expect(await store.load("now", null)).toEqual(Uint8Array.from([5, 7]));
  const ids = (await store.list()).runs.map(({ id }) => id);
  expect(ids).toEqual([...Array.from({ length: 9 }, (_, i) => `run-${10 - i}`), "now"]);
});

test("offers what an older build kept in the database, and takes over the run that goes on", async () => {
  const database = createIndexedRunStore();
  await database.save(stored("old", 5, 1));
  await database.save(stored("older", 5, 0));
  await store.save(stored("new", 5, 2));
  expect((await store.list()).runs.map(({ id }) => id)).toEqual(["new", "old", "older"]);
  expect(await store.load("old", null)).toEqual(Uint8Array.from([5, 1]));
  await store.save(stored("old", 10, 3));
  expect((await database.list()).runs.map(({ id }) => id)).toEqual(["older"]);
  expect((await store.list()).runs.map(({ id, step }) => [id, step])).toEqual([
    ["old", 10],
    ["new", 5],
    ["older", 5],
  ]);
  await store.delete("older");
  expect((await database.list()).runs).toEqual([]);
});

test("a browser without such files, or one that refuses them, has none", async () => {
  expect(await openFileRunStore(undefined)).toBeNull();
  const refusing = { getDirectory: () => Promise.reject(new DOMException("denied", "SecurityError")) };
  expect(await openFileRunStore(refusing as unknown as StorageManager)).toBeNull();
});
