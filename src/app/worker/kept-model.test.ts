/** Loading through a storage that works, is full, is damaged or is not there: loading never fails because of it. */
import { expect, test } from "vitest";
import { PlaygroundError } from "../../base/errors.ts";
import { grpoConfigSchema } from "../../domain/grpo/config.ts";
import type { WeightTensor } from "../../engine/graph/block-tensor.ts";
import type { LoadedModel } from "../../engine/weights/load-model.ts";
import type { ModelSource } from "../../engine/weights/model-source.ts";
import type { KeptModel, WeightCache } from "../../engine/weights/weight-cache.ts";
import { createRandomModelSource } from "../../testing/random-model.ts";
import { inspectModel } from "./inspect-model.ts";
import { loadKept, openKept, placeOf } from "./kept-model.ts";

const PLACE = { kind: "url", url: "http://x/model" } as const;
const FULL = new PlaygroundError({
  code: "storage-full",
  where: "keeping the model",
  expected: "room",
  got: "none",
  next: "It works all the same.",
});

interface Wrong {
  /** What the storage does wrong. */
  readonly wrong?: "write" | "keep" | "open" | "find";
}

/** A storage in memory, with what happened to it. */
function memoryCache({ wrong }: Wrong = {}): WeightCache & {
  readonly log: string[];
  kept: KeptModel | null;
} {
  let model: LoadedModel | null = null;
  const kept = new Map<string, WeightTensor>();
  const log: string[] = [];
  const cache: ReturnType<typeof memoryCache> = {
    log,
    kept: null,
    list: () => Promise.resolve(cache.kept === null ? [] : [cache.kept]),
    find: () => (wrong === "find" ? Promise.reject(new Error("blocked")) : Promise.resolve(cache.kept)),
    open: () => {
      if (wrong === "open" || model === null) return Promise.reject(new Error("damaged"));
      const { weights, ...rest } = model;
      return Promise.resolve({ ...rest, files: null, readWeights: () => Promise.resolve(weights) });
    },
    write: ({ key, opened, commit }) => {
      if (wrong === "write") return Promise.reject(FULL);
      return Promise.resolve({
        begun: { tensors: new Map(), cut: null, marks: {} },
        onCut: () => undefined,
        keep: (name, tensor) => {
          kept.set(name, tensor);
          return Promise.resolve(void log.push(name));
        },
        fault: () => (wrong === "keep" ? FULL : null),
        finish: (about) => {
          model = { ...opened, weights: kept };
          const { name } = opened;
          cache.kept = { ...key, ...about, commit, complete: true, id: "1", name, sizeBytes: 1 };
          log.push("finish");
          return Promise.resolve(wrong !== "keep");
        },
        stop: () => Promise.resolve(void log.push("stop")),
        drop: () => Promise.resolve(void log.push("drop")),
      });
    },
    delete: (id) => {
      cache.kept = null;
      return Promise.resolve(void log.push(`delete ${id}`));
    },
  };
  return cache;
}

const load = (cache: WeightCache, source: ModelSource = createRandomModelSource()) =>
  loadKept({
    source,
    storage: "f32",
    keeping: { cache, place: PLACE, wallClock: () => 77 },
    signal: undefined,
    onProgress: () => undefined,
  });
/** Whoever asks it has asked the network. */
const NO_SOURCE: ModelSource = { name: "none", read: () => Promise.reject(new Error("asked")) };

test("a model is kept while it is loaded, and loaded and looked at without its source afterwards", async () => {
  const cache = memoryCache();
  const first = await load(cache);
  expect(first.origin).toEqual({ from: "source", commit: null, hashed: [], notKept: null });
  expect(cache.log.slice(0, -1).sort()).toEqual([...first.model.weights.keys()].sort());
  expect(cache.log.at(-1)).toBe("finish");
  expect(cache.kept?.savedAt).toBe(77);
  const again = await load(cache, NO_SOURCE);
  expect(again.origin.from).toBe("storage");
  expect(new Map(again.model.weights)).toEqual(new Map(first.model.weights));
  const report = await inspectModel({
    source: NO_SOURCE,
    local: false,
    kept: await openKept(cache, PLACE, ["f32"]),
    machine: { cores: 2, crossOriginIsolated: true, threads: 1, gpu: null },
    engine: "auto",
    size: { grpo: grpoConfigSchema.parse({}), arms: 1 },
  });
  expect(report.keptAs).toEqual(["f32"]);
  expect(report.downloadBytes).toBe(first.model.sizeBytes);
});

test.each([
  ["write", /room.*works all the same/],
  ["keep", /room.*works all the same/],
  ["find", null],
] as const)("a storage that fails at %s does not end the loading", async (wrong, told) => {
  const { model, origin } = await load(memoryCache({ wrong }));
  expect(model.weights.size).toBeGreaterThan(0);
  expect(origin.from).toBe("source");
  if (told === null) expect(origin.notKept).toBeNull();
  else expect(origin.notKept).toMatch(told);
});

test("a damaged entry is dropped and fetched anew", async () => {
  const cache = memoryCache({ wrong: "open" });
  await load(cache);
  cache.log.length = 0;
  expect((await load(cache)).origin.from).toBe("source");
  expect(cache.log[0]).toBe("delete 1");
  expect(await openKept(cache, PLACE, ["f32"])).toBeNull();
});

test("what was written of a model that is refused is dropped", async () => {
  const cache = memoryCache();
  const source = createRandomModelSource();
  const cut: ModelSource = {
    name: "cut",
    read: async (path, options) => {
      const bytes = await source.read(path, options);
      // NaN in the last tensor
      if (path === "model.safetensors") bytes?.fill(255, bytes.length - 4);
      return bytes;
    },
  };
  await expect(load(cache, cut)).rejects.toMatchObject({ code: "model-broken" });
  expect(cache.log.at(-1)).toBe("drop");
  expect(cache.kept).toBeNull();
});

test("files of this computer are not kept, and a token is no part of a place", () => {
  const use = { storage: "q8", thinking: false } as const;
  expect(placeOf({ kind: "files", files: [], ...use })).toBeNull();
  const hub = { repo: "a/b", revision: "main", endpoint: "https://hub/", file: null };
  const place = placeOf({ kind: "hub", ...hub, token: "hf_secret", ...use });
  expect(place).toEqual({ kind: "hub", ...hub, endpoint: "https://hub" });
});
