/** The cache of models in this browser's private files, where it has such. */
import { createWeightCache, type WeightCache } from "../../engine/weights/weight-cache.ts";
import { type Keeping, placeOf } from "./kept-model.ts";
import type { OwnChoice } from "./model-source-of.ts";

/** null where the browser has no private files that can be written (plain http, older Safari). */
export function browserCache(storageOf: () => StorageManager | undefined): WeightCache | null {
  const able = "FileSystemFileHandle" in globalThis && "createWritable" in FileSystemFileHandle.prototype;
  const storage = able ? storageOf() : undefined;
  if (storage === undefined) return null;
  return createWeightCache(async (options) =>
    (await storage.getDirectory()).getDirectoryHandle("models", options),
  );
}

/** Where a chosen model is kept; null for files of this computer, and where nothing can be. */
export function keepingOf(
  choice: OwnChoice,
  storage: StorageManager | undefined,
  wallClock: () => number,
): Keeping | null {
  const [place, cache] = [placeOf(choice), browserCache(() => storage)];
  return place === null || cache === null ? null : { cache, place, wallClock };
}
