import { beforeEach, expect, test } from "vitest";
import { defined } from "../../base/assert.ts";
import type { KeptVerdict } from "../../training/judges/verdict-cache.ts";
import { openFileVerdictStore } from "./file-verdict-store.ts";
import type { VerdictStore } from "./verdict-memory.ts";

let root: FileSystemDirectoryHandle;
let time = 0;
const open = (mostBytes?: number): VerdictStore =>
  defined(
    openFileVerdictStore({
      storage: navigator.storage,
      wallClock: () => ++time,
      ...(mostBytes === undefined ? {} : { mostBytes }),
    }),
    "a store",
  );
const verdict = (i: number, more: object = {}): KeptVerdict => ({
  answer: `answer ${String(i)}\nof "two" lines`,
  criterion: "is kind",
  verdict: i % 2,
  reason: "by the rule",
  ...more,
});

beforeEach(async () => {
  root = await navigator.storage.getDirectory();
  await root.getDirectoryHandle("verdicts", { create: true });
  await root.removeEntry("verdicts", { recursive: true });
});

async function files(): Promise<string[]> {
  const names: string[] = [];
  for await (const folder of (await root.getDirectoryHandle("verdicts")).values())
    if (folder.kind === "directory") for await (const name of folder.keys()) names.push(name);
  return names.toSorted();
}

test("gives back each judge's verdicts in their order, to another store too, and forgets all", async () => {
  const store = open();
  expect(await store.load("a")).toEqual([]);
  await store.append("a", [verdict(1), verdict(2, { pYes: 0.25 })]);
  await store.append("b", [verdict(3)]);
  await store.append("a", [verdict(4)]);
  expect(await open().load("a")).toEqual([verdict(1), verdict(2, { pYes: 0.25 }), verdict(4)]);
  expect(await open().load("b")).toEqual([verdict(3)]);
  expect(await store.sizeBytes()).toBeGreaterThan(200);
  await store.clear();
  expect(await store.load("a")).toEqual([]);
  expect(await store.sizeBytes()).toBe(0);
});

test("many lists become one when they are read", async () => {
  const store = open();
  for (let i = 0; i < 20; i++) await store.append("a", [verdict(i)]);
  expect((await files()).length).toBe(20);
  const all = Array.from({ length: 20 }, (_, i) => verdict(i));
  expect(await store.load("a")).toEqual(all);
  expect((await files()).length).toBe(1);
  expect(await store.load("a")).toEqual(all);
});

test("the oldest lists go where there is no more room", async () => {
  const store = open(300);
  for (let i = 0; i < 9; i++) await store.append(i === 0 ? "a" : "b", [verdict(i)]);
  expect(await store.load("a")).toEqual([]);
  const kept = await store.load("b");
  expect(kept.at(-1)).toEqual(verdict(8));
  expect(kept.length).toBeLessThan(8);
  expect(await store.sizeBytes()).toBeLessThanOrEqual(300);
});

test("a damaged line costs its own verdict, and an unfinished list is not read", async () => {
  const store = open();
  await store.append("a", [verdict(1)]);
  const folders = await root.getDirectoryHandle("verdicts");
  for await (const folder of folders.values()) {
    if (folder.kind !== "directory") continue;
    for (const [name, text] of [
      ["99999999999999-000001.jsonl", `["a","b",1\n${JSON.stringify(["x", "y", 1, "z", null])}\n{}`],
      ["99999999999999-000002.jsonl.part", JSON.stringify(["never", "y", 1, "z", null])],
    ] as const) {
      const stream = await (await folder.getFileHandle(name, { create: true })).createWritable();
      await stream.write(text);
      await stream.close();
    }
  }
  expect(await store.load("a")).toEqual([
    verdict(1),
    { answer: "x", criterion: "y", verdict: 1, reason: "z" },
  ]);
});
