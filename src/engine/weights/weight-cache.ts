/**
 * Models kept in the browser's private files, as they are held in memory: a folder a model (kept-manifest.ts says what stands in
 * it, cache-writer.ts writes it). One that is not complete is never read as a model; the next loading of it goes on there.
 * Knows no network: what is kept is loaded without a request.
 */
import { defined } from "../../base/assert.ts";
import { weightSpecs } from "../nn/model-config.ts";
import type { WeightTensor } from "../graph/block-tensor.ts";
import { type CacheWriter, notKept, openWriter, type Writing } from "./cache-writer.ts";
import {
  type CacheKey,
  checkParts,
  damaged,
  idOf,
  type Manifest,
  orNone,
  readManifest,
  readText,
  sameKey,
  tensorReader,
  TEXTS,
} from "./kept-manifest.ts";
import type { OpenedModel } from "./load-model.ts";

export interface KeptModel extends CacheKey {
  /** Of its folder. */
  readonly id: string;
  readonly name: string;
  /** False where a loading ended early: the next one goes on with it. */
  readonly complete: boolean;
  /** The commit that was loaded; null where the source has none. */
  readonly commit: string | null;
  /** Files whose hash was compared when they were downloaded. */
  readonly hashed: readonly string[];
  readonly sizeBytes: number;
  /** Milliseconds since 1970. */
  readonly savedAt: number;
}

export interface WeightCache {
  /** The newest first, begun ones among them once something is kept of them; folders that cannot be read are dropped, but for those that a tab is writing. */
  list(): Promise<readonly KeptModel[]>;
  /** A complete one; null where there is none. */
  find(key: CacheKey): Promise<KeptModel | null>;
  /** Its tensors are not read yet. @throws PlaygroundError `storage-failed` where the entry is damaged */
  open(kept: KeptModel): Promise<OpenedModel>;
  /** Goes on with one that was begun, else takes the place of what is there. @throws PlaygroundError `storage-failed`, `storage-full` */
  write(writing: Writing): Promise<CacheWriter>;
  delete(id: string): Promise<void>;
}

/** The folder of all models. Made only to write in it: in a full storage none can be made, and what is there is still used. */
type OpenFolder = (options: { readonly create: boolean }) => Promise<FileSystemDirectoryHandle>;

/** The folder is asked for at each use, since it may have been evicted in between. */
export function createWeightCache(folder: OpenFolder): WeightCache {
  const open = (): Promise<FileSystemDirectoryHandle> => folder({ create: false });
  const manifestOf = async (id: string): Promise<Manifest | null> => {
    const root = await orNone(open());
    return root && readManifest(root, id);
  };
  return {
    list: async () => {
      const root = await orNone(open());
      return root === null ? [] : listModels(root);
    },
    find: async (key) => {
      const id = await idOf(key);
      const manifest = await manifestOf(id);
      return manifest?.complete === true && sameKey(manifest, key)
        ? summary(await open(), id, manifest)
        : null;
    },
    open: async ({ id }) => {
      const manifest = await manifestOf(id);
      if (manifest?.complete !== true) throw damaged(id, "its manifest", "none");
      return openKept(await (await open()).getDirectoryHandle(id), manifest);
    },
    write: async (writing) => {
      try {
        return await openWriter(await folder({ create: true }), await idOf(writing.key), writing);
      } catch (cause) {
        throw notKept(cause);
      }
    },
    delete: async (id) => {
      await (await open()).removeEntry(id, { recursive: true });
    },
  };
}

async function listModels(root: FileSystemDirectoryHandle): Promise<KeptModel[]> {
  const found: KeptModel[] = [];
  for await (const [id] of root.entries()) {
    const manifest = await readManifest(root, id);
    if (manifest === null)
      await root.removeEntry(id, { recursive: true }).catch(() => undefined); // being written
    else if (manifest.tensors.length > 0 || manifest.cut !== null)
      found.push(await summary(root, id, manifest));
  }
  return found.toSorted((a, b) => b.savedAt - a.savedAt);
}

async function summary(root: FileSystemDirectoryHandle, id: string, manifest: Manifest): Promise<KeptModel> {
  const { place, storage, name, complete, commit, hashed, savedAt } = manifest;
  let sizeBytes = 0;
  const folder = await root.getDirectoryHandle(id);
  for await (const file of folder.values())
    if (file.kind === "file") sizeBytes += (await file.getFile()).size;
  return { id, place, storage, name, complete, commit, hashed, savedAt, sizeBytes };
}

async function openKept(folder: FileSystemDirectoryHandle, manifest: Manifest): Promise<OpenedModel> {
  const { name, config, endTokenIds, downloadBytes, files } = manifest;
  const specs = weightSpecs(config);
  const byName = new Map(manifest.tensors.map((tensor) => [tensor.name, tensor]));
  const wrong = specs.find((spec) => byName.get(spec.name)?.dims.join() !== spec.shape.join());
  if (wrong !== undefined) throw damaged(name, `a tensor ${wrong.name}`, "none of its shape");
  await checkParts(folder, manifest.tensors);
  return {
    name,
    config,
    endTokenIds,
    sizeBytes: downloadBytes,
    files,
    tokenizerFiles: {
      tokenizerJson: await readText(folder, TEXTS.tokenizerJson),
      tokenizerConfigJson: await readText(folder, TEXTS.tokenizerConfigJson),
      chatTemplate: await readText(folder, TEXTS.chatTemplate),
    },
    readWeights: async () => {
      const read = tensorReader(folder);
      const weights = new Map<string, WeightTensor>();
      for (const { name: tensor } of specs)
        weights.set(tensor, await read(defined(byName.get(tensor), tensor)));
      return weights;
    },
  };
}
