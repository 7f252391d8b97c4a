import { deleteDB, openDB } from "idb";
import { beforeEach, expect, test } from "vitest";
import { fakeSpec } from "../../testing/fake-run.ts";
import type { SavedRun } from "../protocol/messages.ts";
import { createIndexedRunStore } from "./indexed-run-store.ts";
import { createRunStore, type RunStore, type StoredRun } from "./run-store.ts";

const DATABASE = "rubric-playground";

beforeEach(() => deleteDB(DATABASE));

function stored(id: string, scenarioId: string, savedAt: number): StoredRun {
  const bytes = Uint8Array.from([1, 2, 3, savedAt]);
  const spec = fakeSpec({ scenarioId });
  return { id, scenarioId, savedAt, step: 5, maxSteps: 12, spec, bytes };
}

const listed = async (store: RunStore): Promise<SavedRun[]> => (await store.list()).runs;
/** As an older build wrote them. */
const older = (id: string, scenarioId: string, savedAt: number): object => ({
  ...stored(id, scenarioId, savedAt),
  sizeBytes: 4,
});

test("keeps runs over a reload, newest first, and no run in another one's place", async () => {
  const before = createIndexedRunStore();
  await before.save(stored("a1", "a", 1));
  await before.save(stored("b1", "b", 2));
  await before.save(stored("a2", "a", 3));
  await before.save({ ...stored("a1", "a", 4), step: 6 });
  const after = createIndexedRunStore();
  expect((await listed(after)).map(({ id, step }) => [id, step])).toEqual([
    ["a1", 6],
    ["a2", 5],
    ["b1", 5],
  ]);
  expect((await listed(after))[0]).not.toHaveProperty("bytes");
  expect(await after.load("a1", null)).toEqual(Uint8Array.from([1, 2, 3, 4]));
  expect(await after.load("a2", null)).toEqual(Uint8Array.from([1, 2, 3, 3]));
  await after.delete("a1");
  await after.delete("nobody");
  expect(await after.load("a1", null)).toBeNull();
  expect((await listed(before)).map((run) => run.id)).toEqual(["a2", "b1"]);
});

test("keeps the newest five runs of a scenario", async () => {
  const store = createIndexedRunStore();
  await store.save(stored("other", "b", 0));
  for (const time of [3, 1, 2, 4, 5, 6, 7]) await store.save(stored(`a${time}`, "a", time));
  expect((await listed(store)).map((run) => run.id)).toEqual(["a7", "a6", "a5", "a4", "a3", "other"]);
  expect(await store.load("a1", null)).toBeNull();
  expect(await store.load("a3", null)).not.toBeNull();
});

test("leaves out a run whose spec this build cannot read", async () => {
  const store = createIndexedRunStore();
  await store.save({ ...stored("old", "a", 1), spec: { scenarioId: "a" } as StoredRun["spec"] });
  expect(await listed(store)).toEqual([]);
});

test("a browser without files keeps the newest checkpoint of a run here", async () => {
  const store = createRunStore(() => Promise.resolve(null), createIndexedRunStore());
  await store.save(stored("a1", "a", 1));
  await store.save({ ...stored("a1", "a", 2), step: 6 });
  const { place, runs } = await store.list();
  expect(place).toBe("database");
  expect(runs).toMatchObject([
    { id: "a1", step: 6, sizeBytes: 4, checkpoints: [{ step: 6, savedAt: 2, sizeBytes: 4 }] },
  ]);
});

test("takes over the runs of the build before, which kept one a scenario", async () => {
  const old = await openDB(DATABASE, 1, {
    upgrade: (db) => {
      db.createObjectStore("runs", { keyPath: "scenarioId" }).createIndex("id", "id");
    },
  });
  await old.put("runs", older("a1", "a", 1));
  await old.put("runs", older("b1", "b", 2));
  old.close();
  const store = createIndexedRunStore();
  expect((await listed(store)).map((run) => run.id)).toEqual(["b1", "a1"]);
  expect(await store.load("a1", null)).toEqual(Uint8Array.from([1, 2, 3, 1]));
  await store.save(stored("a2", "a", 3));
  expect((await listed(store)).map((run) => run.id)).toEqual(["a2", "b1", "a1"]);
});

test("says that a newer build owns the runs, and leaves them alone", async () => {
  const newer = await openDB(DATABASE, 9, { upgrade: (db) => db.createObjectStore("elsewhere") });
  await newer.put("elsewhere", "theirs", 1);
  newer.close();
  const store = createIndexedRunStore();
  await expect(store.list()).rejects.toMatchObject({
    code: "storage-failed",
    message: expect.stringMatching(/newer build owns.*Reload the page/) as string,
  });
  const again = await openDB(DATABASE, 9);
  expect(await again.get("elsewhere", 1)).toBe("theirs");
  again.close();
});
