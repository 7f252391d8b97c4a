/** Models in the browser's real private files: what is written is read again, what is half-written is not. */
import { beforeEach, expect, test } from "vitest";
import { randomWeights, tinyConfig } from "../../testing/tiny-model.ts";
import { sizeOf } from "../graph/tensor.ts";
import { quantizeBlocks, type WeightTensor } from "../graph/block-tensor.ts";
import type { LoadedModel } from "./load-model.ts";
import { type CacheKey, createWeightCache, type WeightCache } from "./weight-cache.ts";

const FOLDER = "models-test";
const PLACE = { kind: "hub", endpoint: "https://hub", repo: "a/b", revision: "main", file: null } as const;
const KEY: CacheKey = { place: PLACE, storage: "q8" };
const ABOUT = { commit: "c0ffee", hashed: ["model.safetensors"], savedAt: 1000 };

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

async function write(key: CacheKey, savedAt: number, loaded = model()): Promise<boolean> {
  const writer = await cache.write(key);
  for (const [name, tensor] of [...loaded.weights].toReversed()) await writer.keep(name, tensor);
  return writer.finish(loaded, { ...ABOUT, savedAt });
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
  expect(kept).toMatchObject({ ...KEY, ...ABOUT, name: "a/b" });
  expect(kept?.sizeBytes).toBeGreaterThan(sizeOf([33, 16]));
  if (kept === null) throw new Error("nothing kept");
  const { readWeights, ...rest } = await cache.open(kept);
  const { weights, ...wanted } = loaded;
  expect(rest).toEqual(wanted);
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
  const writer = await cache.write(KEY);
  const [[name, tensor] = ["", undefined]] = model().weights;
  if (tensor !== undefined) await writer.keep(name, tensor);
  expect(await cache.find(KEY)).toBeNull();
  expect(await cache.list()).toEqual([]);
  expect(await folders()).toHaveLength(1); // its file is open
  await writer.drop();
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
  const writer = await cache.write(KEY);
  const loaded = model();
  Reflect.set(streams, "write", () => Promise.reject(new DOMException("full", "QuotaExceededError")));
  try {
    for (const [name, tensor] of loaded.weights) await writer.keep(name, tensor);
  } finally {
    Reflect.set(streams, "write", write);
  }
  expect(await writer.finish(loaded, ABOUT)).toBe(false);
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
  await expect(full.write({ ...KEY, storage: "q4" })).rejects.toMatchObject({ code: "storage-full" });
  const [kept] = await full.list();
  expect(kept).toMatchObject(KEY);
  if (kept !== undefined) await full.open(kept);
});

test("an entry whose tensors were cut is refused, not read", async () => {
  await write(KEY, 1000);
  const kept = await cache.find(KEY);
  if (kept === null) throw new Error("nothing kept");
  const folder = await (await root.getDirectoryHandle(FOLDER)).getDirectoryHandle(kept.id);
  const stream = await (await folder.getFileHandle("tensors.bin")).createWritable({ keepExistingData: true });
  await stream.truncate(100);
  await stream.close();
  await expect(cache.open(kept)).rejects.toMatchObject({ code: "storage-failed" });
});
