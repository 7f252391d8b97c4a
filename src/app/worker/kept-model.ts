/**
 * Loads a model through the browser's own storage: from there without a request where it is kept, else from its source, and kept
 * on the way, so that a loading that was cut or given up goes on where it ended. What goes wrong with the storage never ends the
 * loading: it is told beside the model.
 */
import { PlaygroundError } from "../../base/errors.ts";
import {
  type LoadedModel,
  type LoadProgress,
  type OpenedModel,
  openModelFiles,
} from "../../engine/weights/load-model.ts";
import type { ModelSource, Provenance } from "../../engine/weights/model-source.ts";
import type { CacheWriter } from "../../engine/weights/cache-writer.ts";
import type { ModelPlace } from "../../engine/weights/kept-manifest.ts";
import type { KeptModel, WeightCache } from "../../engine/weights/weight-cache.ts";
import type { WeightStorage } from "../../domain/run/memory-plan.ts";
import type { KeptModelInfo, ModelOrigin } from "../protocol/model-messages.ts";
import type { OwnChoice } from "./model-source-of.ts";

/** Where a model is kept, and by what it is found. */
export interface Keeping {
  readonly cache: WeightCache;
  readonly place: ModelPlace;
  readonly wallClock: () => number;
}

export interface LoadKeptOptions {
  readonly source: ModelSource;
  readonly storage: WeightStorage;
  readonly keeping: Keeping;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (progress: LoadProgress) => void;
}

/** The place of a model that can be kept; null for one of this computer's files. */
export function placeOf(choice: OwnChoice): ModelPlace | null {
  switch (choice.kind) {
    case "hub": {
      const { repo, revision, file, endpoint } = choice;
      return { kind: "hub", endpoint: endpoint.replace(/\/+$/, ""), repo, revision, file };
    }
    case "url":
      return { kind: "url", url: choice.url };
    case "files":
      return null;
  }
}

/** @throws PlaygroundError with the fault of the source; never one of the storage */
export async function loadKept(
  options: LoadKeptOptions,
): Promise<{ model: LoadedModel; origin: ModelOrigin }> {
  return (await fromStorage(options)) ?? (await fromSource(options));
}

/** A kept model to look at. */
export interface KeptEntry {
  readonly opened: OpenedModel;
  /** In which it is kept. */
  readonly storages: readonly WeightStorage[];
}

/** The entry of any storage; null where there is none that can be read. */
export async function openKept(
  cache: WeightCache,
  place: ModelPlace,
  storages: readonly WeightStorage[],
): Promise<KeptEntry | null> {
  try {
    const kept = await Promise.all(storages.map((storage) => cache.find({ place, storage })));
    const [first] = kept.filter((entry) => entry !== null);
    if (first === undefined) return null;
    return {
      opened: await cache.open(first),
      storages: storages.filter((_, i) => kept[i] !== null),
    };
  } catch {
    return null; // the source is asked instead
  }
}

async function fromStorage({
  keeping: { cache, place },
  storage,
  onProgress,
}: LoadKeptOptions): Promise<{ model: LoadedModel; origin: ModelOrigin } | null> {
  let kept: KeptModel | null = null;
  try {
    kept = await cache.find({ place, storage });
    if (kept === null) return null;
    const { readWeights, ...model } = await cache.open(kept);
    const weights = await readWeights();
    const { sizeBytes } = kept;
    onProgress({ path: "kept.safetensors", loadedBytes: sizeBytes, totalBytes: sizeBytes });
    return { model: { ...model, weights }, origin: { ...originOf(kept), from: "storage", notKept: null } };
  } catch {
    // damaged, or evicted while it was read: dropped, and fetched anew
    if (kept !== null) await cache.delete(kept.id).catch(() => undefined);
    return null;
  }
}

async function fromSource(options: LoadKeptOptions): Promise<{ model: LoadedModel; origin: ModelOrigin }> {
  const { source, storage, signal, onProgress, keeping } = options;
  const { readWeights, ...opened } = await openModelFiles(source, signal, onProgress);
  const writer = await writerOf(options, opened);
  const provenance = (): Provenance => source.provenance?.() ?? { commit: null, hashed: [] };
  if (writer instanceof PlaygroundError) {
    const model = { ...opened, weights: await readWeights(undefined, storage) };
    return { model, origin: { ...originOf(provenance()), from: "source", notKept: writer.message } };
  }
  try {
    const model = { ...opened, weights: await readWeights(writer, storage, writer.begun) };
    const about = provenance();
    await writer.finish({ hashed: about.hashed, savedAt: keeping.wallClock() });
    const notKept = writer.fault()?.message ?? null;
    return { model, origin: { ...originOf(about), from: "source", notKept } };
  } catch (error) {
    // what came is right so far, unless it was refused
    if (endedEarly(error)) await writer.stop();
    else await writer.drop();
    throw error;
  }
}

function endedEarly(error: unknown): boolean {
  return error instanceof PlaygroundError && ["model-fetch-failed", "aborted"].includes(error.code);
}

/** Or why nothing can be kept. */
async function writerOf(
  { source, storage, keeping: { cache, place, wallClock } }: LoadKeptOptions,
  opened: Omit<OpenedModel, "readWeights">,
): Promise<CacheWriter | PlaygroundError> {
  const writing = {
    key: { place, storage },
    opened,
    commit: source.provenance?.().commit ?? null,
    marks: () => source.hashMarks?.() ?? {},
    now: wallClock(),
  };
  try {
    const writer = await cache.write(writing);
    try {
      await source.resumeHashes?.(writer.begun.marks);
      return writer;
    } catch {
      await writer.drop(); // hashes of another build: begun anew
      return await cache.write(writing);
    }
  } catch (error) {
    if (error instanceof PlaygroundError) return error;
    throw error;
  }
}

function originOf({
  commit,
  hashed,
}: Pick<KeptModel, "commit" | "hashed">): Pick<ModelOrigin, "commit" | "hashed"> {
  return { commit, hashed };
}

/** Entries of the storage as the page lists them. */
export async function listKept(cache: WeightCache): Promise<readonly KeptModelInfo[]> {
  return (await cache.list()).map(({ id, name, place, storage, commit, complete, sizeBytes, savedAt }) => ({
    id,
    name,
    place,
    storage,
    commit,
    complete,
    sizeBytes,
    savedAt,
  }));
}
