import { deleteDB } from "idb";
import { beforeEach, expect, test } from "vitest";
import { fakeSpec } from "../../testing/fake-run.ts";
import { createBrowserRunStore, type StoredRun } from "./run-store.ts";

beforeEach(() => deleteDB("rubric-playground"));

function stored(id: string, scenarioId: string, savedAt: number): StoredRun {
  const bytes = Uint8Array.from([1, 2, 3, savedAt]);
  const spec = fakeSpec({ scenarioId });
  return { id, scenarioId, savedAt, step: 5, maxSteps: 12, sizeBytes: bytes.length, spec, bytes };
}

test("keeps the last run of each scenario over a reload, newest first", async () => {
  const before = createBrowserRunStore();
  await before.save(stored("a1", "a", 1));
  await before.save(stored("b1", "b", 2));
  await before.save(stored("a2", "a", 3));
  const after = createBrowserRunStore();
  expect((await after.list()).map((run) => run.id)).toEqual(["a2", "b1"]);
  expect((await after.list())[0]).not.toHaveProperty("bytes");
  expect(await after.load("a2")).toEqual(Uint8Array.from([1, 2, 3, 3]));
  expect(await after.load("a1")).toBeNull();
  await after.delete("a2");
  await after.delete("nobody");
  expect((await before.list()).map((run) => run.id)).toEqual(["b1"]);
});

test("leaves out a run whose spec this build cannot read", async () => {
  const store = createBrowserRunStore();
  await store.save({ ...stored("old", "a", 1), spec: { scenarioId: "a" } as StoredRun["spec"] });
  expect(await store.list()).toEqual([]);
});
