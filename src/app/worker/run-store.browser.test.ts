import { deleteDB, openDB } from "idb";
import { beforeEach, expect, test } from "vitest";
import { fakeSpec } from "../../testing/fake-run.ts";
import { createRunClaims } from "./run-claims.ts";
import { randomRunId } from "./run-id.ts";
import { createBrowserRunStore, type StoredRun } from "./run-store.ts";

const DATABASE = "rubric-playground";

beforeEach(() => deleteDB(DATABASE));

function stored(id: string, scenarioId: string, savedAt: number): StoredRun {
  const bytes = Uint8Array.from([1, 2, 3, savedAt]);
  const spec = fakeSpec({ scenarioId });
  return { id, scenarioId, savedAt, step: 5, maxSteps: 12, sizeBytes: bytes.length, spec, bytes };
}

test("keeps runs over a reload, newest first, and no run in another one's place", async () => {
  const before = createBrowserRunStore();
  await before.save(stored("a1", "a", 1));
  await before.save(stored("b1", "b", 2));
  await before.save(stored("a2", "a", 3));
  await before.save({ ...stored("a1", "a", 4), step: 6 });
  const after = createBrowserRunStore();
  expect((await after.list()).map(({ id, step }) => [id, step])).toEqual([
    ["a1", 6],
    ["a2", 5],
    ["b1", 5],
  ]);
  expect((await after.list())[0]).not.toHaveProperty("bytes");
  expect(await after.load("a1")).toEqual(Uint8Array.from([1, 2, 3, 4]));
  expect(await after.load("a2")).toEqual(Uint8Array.from([1, 2, 3, 3]));
  await after.delete("a1");
  await after.delete("nobody");
  expect(await after.load("a1")).toBeNull();
  expect((await before.list()).map((run) => run.id)).toEqual(["a2", "b1"]);
});

test("keeps the newest five runs of a scenario", async () => {
  const store = createBrowserRunStore();
  await store.save(stored("other", "b", 0));
  for (const time of [3, 1, 2, 4, 5, 6, 7]) await store.save(stored(`a${time}`, "a", time));
  expect((await store.list()).map((run) => run.id)).toEqual(["a7", "a6", "a5", "a4", "a3", "other"]);
  expect(await store.load("a1")).toBeNull();
  expect(await store.load("a3")).not.toBeNull();
});

test("leaves out a run whose spec this build cannot read", async () => {
  const store = createBrowserRunStore();
  await store.save({ ...stored("old", "a", 1), spec: { scenarioId: "a" } as StoredRun["spec"] });
  expect(await store.list()).toEqual([]);
});

test("takes over the runs of the build before, which kept one a scenario", async () => {
  const old = await openDB(DATABASE, 1, {
    upgrade: (db) => {
      db.createObjectStore("runs", { keyPath: "scenarioId" }).createIndex("id", "id");
    },
  });
  await old.put("runs", stored("a1", "a", 1));
  await old.put("runs", stored("b1", "b", 2));
  old.close();
  const store = createBrowserRunStore();
  expect((await store.list()).map((run) => run.id)).toEqual(["b1", "a1"]);
  expect(await store.load("a1")).toEqual(Uint8Array.from([1, 2, 3, 1]));
  await store.save(stored("a2", "a", 3));
  expect((await store.list()).map((run) => run.id)).toEqual(["a2", "b1", "a1"]);
});

test("says that a newer build owns the runs, and leaves them alone", async () => {
  const newer = await openDB(DATABASE, 9, { upgrade: (db) => db.createObjectStore("elsewhere") });
  await newer.put("elsewhere", "theirs", 1);
  newer.close();
  const store = createBrowserRunStore();
  await expect(store.list()).rejects.toMatchObject({
    code: "storage-failed",
    message: expect.stringMatching(/newer build owns.*Reload the page/) as string,
  });
  const again = await openDB(DATABASE, 9);
  expect(await again.get("elsewhere", 1)).toBe("theirs");
  again.close();
});

test("a run belongs to one tab until it is given back; without locks every tab may have it", async () => {
  const id = randomRunId();
  expect(id).toMatch(/^[0-9a-f]{32}$/);
  const [one, other] = [createRunClaims(navigator.locks), createRunClaims(navigator.locks)];
  const release = await one(id);
  await expect(other(id)).rejects.toMatchObject({ code: "run-state" });
  const releaseNext = await other(randomRunId());
  release();
  await expect.poll(async () => (await other(id).catch(() => null)) !== null).toBe(true);
  releaseNext();
  const blocked = {
    request: () => Promise.reject(new DOMException("Access to the Locks API is denied", "SecurityError")),
  } as unknown as LockManager;
  for (const without of [createRunClaims(undefined), createRunClaims(blocked)]) {
    await without(id);
    await without(id);
  }
});
