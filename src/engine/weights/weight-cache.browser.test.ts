/** Models in the browser's real private files: what is written is read again, what is half-written is not. */
import { beforeEach, expect, test } from "vitest";
import { randomWeights, tinyConfig } from "../../testing/tiny-model.ts";
import { sizeOf } from "../graph/tensor.ts";
import { quantizeBlocks, type WeightTensor } from "../graph/block-tensor.ts";
import type { Writing } from "./cache-writer.ts";
import type { CacheKey } from "./kept-manifest.ts";
import type { LoadedModel } from "./load-model.ts";
import { createWeightCache, type WeightCache } from "./weight-cache.ts";

const FOLDER = "models-test";
const PLACE = { kind: "hub", endpoint: "https://hub", repo: "a/b", revision: "main", file: null } as const;
const KEY: CacheKey = { place: PLACE, storage: "q8" };
const ABOUT = { hashed: ["model.safetensors"], savedAt: 1000 };

let root: FileSystemDirectoryHandle;
let cache: WeightCache;
beforeEach(async () => {
  root = await navigator.storage.getDirectory();
  await root.getDirectoryHandle(FOLDER, { create: true });
  await root.removeEntry(FOLDER, { recursive: true });
  cache = createWeightCache((options) => root.getDirectoryHandle(FOLDER, options));
});

/** Matrices in blocks, vectors and one matrix as they are; sizes that are no multiple of 8 bytes among them. */
function model(): LoadedModel {
  const config = { ...tinyConfig("qwen2", 33), mlpSize: 21 };
  const weights = new Map<string, WeightTensor>();
  for (const [name, tensor] of randomWeights(config)) {
    const [N = 0, K = 0] = tensor.dims;
    const blocks = tensor.dims.length === 2 && !name.includes("k_proj");
    weights.set(name, blocks ? quantizeBlocks(tensor.data as Float32Array, [N, K], 8) : tensor);
  }
  return {
    name: "a/b",
    config,
    weights,
    endTokenIds: [2, 5],
    tokenizerFiles: { tokenizerJson: '{"é":1}', tokenizerConfigJson: null, chatTemplate: "{{ x }}" },
    sizeBytes: 123,
  };
}

function writing(key: CacheKey, loaded = model(), files: string | null = null): Writing {
  const { name, config, endTokenIds, tokenizerFiles, sizeBytes } = loaded;
  const opened = { name, config, endTokenIds, tokenizerFiles, sizeBytes, files };
  return { key, opened, commit: "c0ffee", marks: () => ({}), now: 500 };
}

async function write(key: CacheKey, savedAt: number, loaded = model()): Promise<boolean> {
  const writer = await cache.write(writing(key, loaded));
  for (const [name, tensor] of [...loaded.weights].toReversed()) await writer.keep(name, tensor);
  return writer.finish({ ...ABOUT, savedAt });
}
const folders = async (): Promise<string[]> => {
  const names: string[] = [];
  for await (const name of (await root.getDirectoryHandle(FOLDER, { create: true })).keys()) names.push(name);
  return names;
};

test("a kept model is the one that was written, tensor by tensor", async () => {
  const loaded = model();
  expect(await cache.find(KEY)).toBeNull();
  expect(await write(KEY, 1000, loaded)).toBe(true);
  const kept = await cache.find(KEY);
  expect(kept).toMatchObject({ ...KEY, ...ABOUT, commit: "c0ffee", complete: true, name: "a/b" });
  expect(kept?.sizeBytes).toBeGreaterThan(sizeOf([33, 16]));
  if (kept === null) throw new Error("nothing kept");
  const { readWeights, ...rest } = await cache.open(kept);
  const { weights, ...wanted } = loaded;
  expect(rest).toEqual({ ...wanted, files: null });
  const read = await readWeights();
  expect([...read.keys()]).toEqual([...weights.keys()]);
  for (const [name, tensor] of weights) expect(read.get(name), name).toEqual(tensor);
});

test("storage, revision, file and endpoint are entries of their own; a second writing takes the first one's place", async () => {
  await write(KEY, 1000);
  for (const key of [
    { ...KEY, storage: "f32" as const },
    ...[{ revision: "v2" }, { endpoint: "https://mirror" }, { file: "x.gguf" }].map((change) => ({
      ...KEY,
      place: { ...PLACE, ...change },
    })),
    { ...KEY, place: { kind: "url" as const, url: "https://x/model/" } },
  ]) {
    expect(await cache.find(key)).toBeNull();
    await write(key, 2000);
    expect(await cache.find(key)).toMatchObject(key);
  }
  await write(KEY, 3000);
  const listed = await cache.list();
  expect(listed.map(({ savedAt }) => savedAt)).toEqual([3000, 2000, 2000, 2000, 2000, 2000]);
  await cache.delete(listed[0]?.id ?? "");
  expect(await cache.find(KEY)).toBeNull();
  expect(await cache.list()).toHaveLength(5);
});

test("what is half-written is not there, and is dropped, but not while it is being written", async () => {
  const writer = await cache.write(writing(KEY));
  const [[name, tensor] = ["", undefined]] = model().weights;
  if (tensor !== undefined) await writer.keep(name, tensor);
  expect(await cache.find(KEY)).toBeNull();
  expect(await cache.list()).toEqual([]);
  expect(await folders()).toHaveLength(1);
  await writer.drop();
  expect(await folders()).toEqual([]);
  // nor before anything has come, and nothing is left where nothing came
  const early = await cache.write(writing(KEY));
  expect(await cache.list()).toEqual([]);
  expect(await folders()).toHaveLength(1);
  await early.stop();
  expect(await folders()).toEqual([]);
  // a tab that was closed: a folder with tensors, without a manifest
  await write(KEY, 1000);
  const [kept] = await cache.list();
  const folder = await (await root.getDirectoryHandle(FOLDER)).getDirectoryHandle(kept?.id ?? "");
  await folder.removeEntry("manifest.json");
  expect(await cache.list()).toEqual([]);
  expect(await folders()).toEqual([]);
});

test("a full storage is said, costs the entry, and nothing else fails", async () => {
  const streams = FileSystemWritableFileStream.prototype;
  const write = Reflect.get(streams, "write") as unknown;
  const loaded = model();
  const writer = await cache.write(writing(KEY, loaded));
  Reflect.set(streams, "write", () => Promise.reject(new DOMException("full", "QuotaExceededError")));
  try {
    for (const [name, tensor] of loaded.weights) await writer.keep(name, tensor);
  } finally {
    Reflect.set(streams, "write", write);
  }
  expect(await writer.finish(ABOUT)).toBe(false);
  expect(writer.fault()).toMatchObject({
    code: "storage-full",
    message: expect.stringContaining("The model works all the same") as string,
  });
  // at once, or with the next look where the browser has not let go of the file yet
  await expect.poll(async () => [await cache.list(), await folders()]).toEqual([[], []]);
});

test("where not even a folder can be made, that is said; what is kept is listed and read all the same", async () => {
  await write(KEY, 1000);
  const full = createWeightCache(({ create }) =>
    create
      ? Promise.reject(new DOMException("full", "QuotaExceededError"))
      : root.getDirectoryHandle(FOLDER, { create }),
  );
  await expect(full.write(writing({ ...KEY, storage: "q4" }))).rejects.toMatchObject({
    code: "storage-full",
  });
  const [kept] = await full.list();
  expect(kept).toMatchObject(KEY);
  if (kept !== undefined) await full.open(kept);
});

test("a loading that ended early is listed as begun, is not found, and the next one goes on with its tensors", async () => {
  const loaded = model();
  const weights = [...loaded.weights];
  const first = await cache.write(writing(KEY, loaded, "v1"));
  for (const [name, tensor] of weights.slice(0, 7)) await first.keep(name, tensor);
  first.onCut("next", new Uint8Array([1, 2, 3, 4]).subarray(1, 3));
  await first.stop();
  expect(await cache.find(KEY)).toBeNull();
  expect(await cache.list()).toMatchObject([{ ...KEY, complete: false, name: "a/b", savedAt: 500 }]);
  const second = await cache.write(writing(KEY, loaded, "v1"));
  expect([...second.begun.tensors]).toEqual(weights.slice(0, 7));
  expect(second.begun.cut).toEqual({ name: "next", bytes: new Uint8Array([2, 3]) });
  for (const [name, tensor] of weights.slice(7)) await second.keep(name, tensor);
  expect(await second.finish(ABOUT)).toBe(true);
  const [kept] = await cache.list();
  expect(kept).toMatchObject({ ...KEY, complete: true });
  if (kept === undefined) throw new Error("nothing kept");
  const read = await (await cache.open(kept)).readWeights();
  for (const [name, tensor] of weights) expect(read.get(name), name).toEqual(tensor);
});

test.each([
  ["other files", "v1", "v2"],
  ["files that cannot be told apart", null, null],
])("of %s everything is read anew, and nothing of the old is left", async (_, before, after) => {
  const loaded = model();
  const first = await cache.write(writing(KEY, loaded, before));
  for (const [name, tensor] of [...loaded.weights].slice(0, 7)) await first.keep(name, tensor);
  await first.stop();
  const second = await cache.write({ ...writing(KEY, loaded, after), now: 501 });
  expect(second.begun.tensors.size).toBe(0);
  for (const [name, tensor] of loaded.weights) await second.keep(name, tensor);
  await second.finish(ABOUT);
  const [kept] = await cache.list();
  const folder = await (await root.getDirectoryHandle(FOLDER)).getDirectoryHandle(kept?.id ?? "");
  const names: string[] = [];
  for await (const name of folder.keys()) names.push(name);
  expect(names.sort()).toEqual(["chat_template.jinja", "dx-0.bin", "manifest.json", "tokenizer.json"].sort());
});

test("an entry whose tensors were cut is refused, not read", async () => {
  await write(KEY, 1000);
  const kept = await cache.find(KEY);
  if (kept === null) throw new Error("nothing kept");
  const folder = await (await root.getDirectoryHandle(FOLDER)).getDirectoryHandle(kept.id);
  const stream = await (await folder.getFileHandle("dw-0.bin")).createWritable({ keepExistingData: true });
  await stream.truncate(100);
  await stream.close();
  await expect(cache.open(kept)).rejects.toMatchObject({ code: "storage-failed" });
});
