/** A model's weights in safetensors, one file or several with an index, read tensor by tensor. */
import { z } from "zod";
import { openFile, type ModelSource, type RangedFile, type ReadOptions } from "./model-source.ts";
import { parseSafetensorsHeader, safetensorsHeaderBytes } from "./safetensors.ts";
import { brokenWeights, readPieces, type WeightEntry, type WeightFile } from "./weight-file.ts";

export const SINGLE_FILE = "model.safetensors";
export const INDEX_FILE = "model.safetensors.index.json";
/** Most headers fit into the first reading. */
const FIRST_READ_BYTES = 128 * 1024;

const indexSchema = z.looseObject({ weight_map: z.record(z.string(), z.string()) });

/** Opens one file: its header is read, no tensor yet. @throws PlaygroundError `model-broken`, `model-fetch-failed`, `aborted`. */
export async function openSafetensors(
  file: RangedFile,
  where: string,
  options: ReadOptions = {},
): Promise<WeightFile> {
  const { sizeBytes } = file;
  const first = await file.read(0, Math.min(FIRST_READ_BYTES, sizeBytes), options);
  const headerBytes = safetensorsHeaderBytes(first, sizeBytes, where);
  const header = headerBytes <= first.length ? first : await file.read(0, headerBytes, options);
  const { places } = parseSafetensorsHeader(header, sizeBytes, where);
  const byName = new Map(places.map((place) => [place.name, place]));
  const entries = new Map<string, WeightEntry>(
    places.map(({ name, dtype, shape, start, end }) => [
      name,
      { name, shape, storage: dtype, sizeBytes: end - start },
    ]),
  );
  return {
    where,
    entries,
    sizeBytes,
    version: file.version ?? null,
    read: async (name, own) => {
      const place = byName.get(name);
      if (place === undefined) throw brokenWeights(where, `a tensor ${name}`, "none");
      return readPieces(file, place, own);
    },
  };
}

/**
 * Opens every shard that the index names; each tensor must lie where the index says, and nowhere else.
 * @throws PlaygroundError as `openSafetensors`.
 */
export async function openSharded(
  source: ModelSource,
  index: unknown,
  options: ReadOptions = {},
): Promise<WeightFile> {
  const where = `${source.name}/${INDEX_FILE}`;
  const parsed = indexSchema.safeParse(index);
  if (!parsed.success) throw brokenWeights(where, "a weight_map of files by tensor", "none");
  const { weight_map: fileOf } = parsed.data;
  const shards = new Map<string, WeightFile>();
  for (const path of new Set(Object.values(fileOf))) {
    const file = await openFile(source, path, options);
    if (file === null) throw brokenWeights(where, `a file ${path}`, "none");
    shards.set(path, await openSafetensors(file, `${source.name}/${path}`, options));
  }
  const entries = new Map<string, WeightEntry>();
  for (const [path, shard] of shards) {
    for (const entry of shard.entries.values()) {
      const named = fileOf[entry.name];
      if (named !== path) throw brokenWeights(`${where}: ${entry.name}`, path, named ?? "no entry");
      entries.set(entry.name, entry);
    }
  }
  const lost = Object.keys(fileOf).find((name) => !entries.has(name));
  if (lost !== undefined)
    throw brokenWeights(`${where}: ${lost}`, `a tensor in ${fileOf[lost] ?? ""}`, "none");
  return {
    where: source.name,
    entries,
    sizeBytes: [...shards.values()].reduce((sum, shard) => sum + shard.sizeBytes, 0),
    version: versionOf([...shards.values()]),
    read: (name, own) => {
      const shard = shards.get(fileOf[name] ?? "");
      if (shard === undefined) throw brokenWeights(where, `a tensor ${name}`, "none");
      return shard.read(name, own);
    },
  };
}

function versionOf(shards: readonly WeightFile[]): string | null {
  const versions = shards.map(({ version }) => version);
  return versions.includes(null) ? null : versions.join();
}
