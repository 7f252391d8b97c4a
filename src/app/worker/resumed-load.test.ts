/** Loadings that end early and are taken up: no tensor is fetched twice, counted at the server, and none of another version is mixed in. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Misbehave } from "../../../scripts/hub/misbehaviour.ts";
import { writeRandomModel } from "../../../scripts/hub/random-model.ts";
import { readRepository } from "../../../scripts/hub/repository.ts";
import { createHubSource } from "../../engine/weights/hub-source.ts";
import { loadModel } from "../../engine/weights/load-model.ts";
import type { ModelSource } from "../../engine/weights/model-source.ts";
import { createUrlSource } from "../../engine/weights/url-source.ts";
import { createWeightCache, type WeightCache } from "../../engine/weights/weight-cache.ts";
import { type LocalHub, startLocalHub } from "../../testing/local-hub.ts";
import { memoryFolder } from "../../testing/memory-folder.ts";
import { loadKept } from "./kept-model.ts";

const REPO = { repo: "test/tiny", revision: "main", token: null, file: null };
/** BF16, the first tensor; a layer is read behind it. */
const EMBEDDING_BYTES = 2048 * 64 * 2;
const LAYER_BYTES = 50_000;
const wait = (): Promise<void> => Promise.resolve();

let hub: LocalHub;
let wrong: Misbehave = () => null;
let folders: string[] = [];
afterEach(async () => {
  await hub.close();
  for (const folder of folders) rmSync(folder, { recursive: true });
  folders = [];
});

async function start(shards = 1): Promise<WeightCache> {
  wrong = () => null;
  hub = await startLocalHub({ shards, misbehave: (asked) => wrong(asked) });
  const root = memoryFolder();
  return createWeightCache(() => Promise.resolve(root));
}
const fromHub = (): ModelSource => createHubSource({ ...REPO, endpoint: hub.url }, { wait });
const fromUrl = (fetcher?: typeof fetch): ModelSource =>
  createUrlSource("tiny", `${hub.url}/test/tiny/resolve/main`, { wait, fetcher });

interface Loading {
  readonly signal?: AbortSignal;
  readonly onLoaded?: (bytes: number, total: number) => void;
}

const load = (cache: WeightCache, source: ModelSource, { signal, onLoaded }: Loading = {}) =>
  loadKept({
    source,
    storage: "q8",
    keeping: { cache, place: { kind: "hub", ...REPO, endpoint: "https://hub" }, wallClock: () => 77 },
    signal,
    onProgress: ({ path, loadedBytes, totalBytes }) => {
      if (path === "model.safetensors") onLoaded?.(loadedBytes, totalBytes ?? 0);
    },
  });

/** Cuts every connection to the weights once so many bytes of files were sent. */
function cutAfter(bytes: number): void {
  const before = hub.sentBytes();
  wrong = ({ server }) =>
    server === "cdn" ? { kind: "cut", afterBytes: Math.max(0, bytes - (hub.sentBytes() - before)) } : null;
}

/** Bytes that the server sends meanwhile. */
async function sentBy<T>(work: () => Promise<T>): Promise<{ sent: number; result: T }> {
  const before = hub.sentBytes();
  const result = await work();
  return { sent: hub.sentBytes() - before, result };
}

test.each([1, 3])(
  "a load that was cut, %i files of weights, goes on where it ended, hashes included",
  async (shards) => {
    const cache = await start(shards);
    const whole = await sentBy(() => loadModel(fromHub(), undefined, undefined, "q8"));
    cutAfter(whole.sent - LAYER_BYTES);
    await expect(load(cache, fromHub())).rejects.toMatchObject({ code: "model-fetch-failed" });
    expect(await cache.list()).toMatchObject([{ complete: false, name: "test/tiny" }]);
    wrong = () => null;
    const { sent, result } = await sentBy(() => load(cache, fromHub()));
    expect(result.origin).toMatchObject({ from: "source", notKept: null });
    expect([...result.origin.hashed].sort()).toEqual([...(hub.repositories[0]?.files.keys() ?? [])].sort());
    expect(new Map(result.model.weights)).toEqual(new Map(whole.result.weights));
    // the rest, with what tells what the files are
    expect(sent).toBeLessThan(whole.sent - EMBEDDING_BYTES);
    // and it is whole for the next one
    const nothing: ModelSource = { name: "none", read: () => Promise.reject(new Error("asked")) };
    const again = await load(cache, nothing);
    expect(again.origin).toMatchObject({ from: "storage", hashed: result.origin.hashed });
    expect(new Map(again.model.weights)).toEqual(new Map(whole.result.weights));
  },
);

test("a load that was given up goes on where it ended", async () => {
  const cache = await start();
  const whole = await sentBy(() => loadModel(fromHub(), undefined, undefined, "q8"));
  const controller = new AbortController();
  const onLoaded = (bytes: number, total: number): void => {
    if (bytes > total - LAYER_BYTES) controller.abort();
  };
  await expect(load(cache, fromHub(), { signal: controller.signal, onLoaded })).rejects.toMatchObject({
    code: "aborted",
  });
  const seen: number[] = [];
  const { result } = await sentBy(() => load(cache, fromHub(), { onLoaded: (bytes) => seen.push(bytes) }));
  expect(new Map(result.model.weights)).toEqual(new Map(whole.result.weights));
  expect(result.origin.hashed).toContain("model.safetensors");
  // progress goes on from what is there
  expect(Math.min(...seen)).toBeGreaterThan(EMBEDDING_BYTES);
  const starts = hub.asked.flatMap(({ server, range }) =>
    server === "cdn" && range !== null ? [range] : [],
  );
  expect(Number(/=(\d+)-/.exec(starts.at(-1) ?? "")?.[1])).toBeGreaterThan(EMBEDDING_BYTES);
});

test("another version of the model is loaded anew", async () => {
  const cache = await start();
  const before = await sentBy(() => loadModel(fromHub()));
  cutAfter(before.sent - LAYER_BYTES);
  await expect(load(cache, fromHub())).rejects.toThrow();
  wrong = () => null;
  const folder = mkdtempSync(join(tmpdir(), "repository-"));
  folders.push(folder);
  writeRandomModel({ shape: "tiny", folder, seed: 2, shards: 1 });
  hub.repositories.push(await readRepository("test/tiny", folder));
  const wanted = await sentBy(() => loadModel(fromHub(), undefined, undefined, "q8"));
  const { sent, result } = await sentBy(() => load(cache, fromHub()));
  expect(sent).toBeGreaterThanOrEqual(wanted.sent - LAYER_BYTES);
  expect(new Map(result.model.weights)).toEqual(new Map(wanted.result.weights));
  expect(result.origin.hashed).toContain("model.safetensors");
});

test.each([
  ["goes on by its ETag", undefined, true],
  [
    "that says nothing of its version is loaded anew",
    async (url: Parameters<typeof fetch>[0], init?: RequestInit) => {
      const response = await fetch(url, init);
      const headers = new Headers(response.headers);
      for (const name of ["etag", "last-modified"]) headers.delete(name);
      return new Response(response.body, { status: response.status, headers });
    },
    false,
  ],
])("an address %s", async (_, fetcher, goesOn) => {
  const cache = await start();
  const whole = await sentBy(() => loadModel(fromUrl(fetcher), undefined, undefined, "q8"));
  cutAfter(whole.sent - LAYER_BYTES);
  await expect(load(cache, fromUrl(fetcher))).rejects.toThrow();
  wrong = () => null;
  const { sent, result } = await sentBy(() => load(cache, fromUrl(fetcher)));
  expect(new Map(result.model.weights)).toEqual(new Map(whole.result.weights));
  if (goesOn) expect(sent).toBeLessThan(whole.sent - EMBEDDING_BYTES);
  else expect(sent).toBeGreaterThan(whole.sent - EMBEDDING_BYTES);
});

test("in a storage without room it is loaded all the same, and nothing is left of it", async () => {
  await start();
  const root = memoryFolder(20_000);
  const cache = createWeightCache(() => Promise.resolve(root));
  const { model, origin } = await load(cache, fromHub());
  expect(model.weights.size).toBe(24);
  expect(origin.notKept).toMatch(/room in this site's share/);
  expect(await cache.list()).toEqual([]);
});
