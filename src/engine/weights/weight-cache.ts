/**
 * Models kept in the browser's private files, as they are held in memory: a folder a model, in it the tensors one after the other,
 * the tokenizer's files, and a manifest that is written last. A folder without one is half-written: it is dropped, never read.
 * Knows no network: what is kept is loaded without a request.
 */
import { z } from "zod";
import { defined } from "../../base/assert.ts";
import { PlaygroundError } from "../../base/errors.ts";
import type { HostTensor } from "../graph/tensor.ts";
import { type ModelConfig, weightSpecs } from "../nn/model-config.ts";
import { isBlockTensor, type WeightTensor } from "../graph/block-tensor.ts";
import type { LoadedModel, OpenedModel, TensorSink } from "./load-model.ts";
import type { WeightStorage } from "./stored-weight.ts";

/** To be raised when what is written changes its form: older entries are dropped. */
const VERSION = 1;
const TENSORS = "tensors.bin";
const MANIFEST = "manifest.json";
const TEXTS = {
  tokenizerJson: "tokenizer.json",
  tokenizerConfigJson: "tokenizer_config.json",
  chatTemplate: "chat_template.jinja",
} as const;
/** So that any typed array can be laid over its bytes. */
const ALIGNMENT = 8;

/** Where a model was loaded from; never a token. */
export type ModelPlace =
  | {
      readonly kind: "hub";
      readonly endpoint: string;
      readonly repo: string;
      readonly revision: string;
      readonly file: string | null;
    }
  | { readonly kind: "url"; readonly url: string };

export interface CacheKey {
  readonly place: ModelPlace;
  readonly storage: WeightStorage;
}

export interface KeptModel extends CacheKey {
  /** Of its folder. */
  readonly id: string;
  readonly name: string;
  /** The commit that was loaded; null where the source has none. */
  readonly commit: string | null;
  /** Files whose hash was compared when they were downloaded. */
  readonly hashed: readonly string[];
  readonly sizeBytes: number;
  /** Milliseconds since 1970. */
  readonly savedAt: number;
}

type About = Pick<KeptModel, "commit" | "hashed" | "savedAt">;

/** Writes one model. The first fault ends it: the entry is dropped and `fault` says why; loading goes on. */
export interface CacheWriter {
  readonly keep: TensorSink;
  readonly fault: () => PlaygroundError | null;
  /** True once the manifest is there. */
  readonly finish: (model: LoadedModel, about: About) => Promise<boolean>;
  readonly drop: () => Promise<void>;
}

export interface WeightCache {
  /** Whole entries, the newest first; half-written ones are dropped, but for those that a tab is writing. */
  list(): Promise<readonly KeptModel[]>;
  /** null where there is none. */
  find(key: CacheKey): Promise<KeptModel | null>;
  /** Its tensors are not read yet. @throws PlaygroundError `storage-failed` where the entry is damaged */
  open(kept: KeptModel): Promise<OpenedModel>;
  /** Takes the place of an entry of the same key. @throws PlaygroundError `storage-failed` or `storage-full` */
  write(key: CacheKey): Promise<CacheWriter>;
  delete(id: string): Promise<void>;
}

const placeSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("hub"),
    endpoint: z.string(),
    repo: z.string(),
    revision: z.string(),
    file: z.string().nullable(),
  }),
  z.object({ kind: z.literal("url"), url: z.string() }),
]);
const partSchema = z.object({ start: z.number(), length: z.number() });
const tensorSchema = z.object({
  name: z.string(),
  dims: z.array(z.number()),
  /** null = plain float32. */
  bits: z.union([z.literal(4), z.literal(8)]).nullable(),
  data: partSchema,
  scales: partSchema.nullable(),
});
const manifestSchema = z.object({
  version: z.literal(VERSION),
  place: placeSchema,
  storage: z.enum(["f32", "q8", "q4"]),
  name: z.string(),
  commit: z.string().nullable(),
  hashed: z.array(z.string()),
  savedAt: z.number(),
  config: z.custom<ModelConfig>((value) => typeof value === "object" && value !== null),
  endTokenIds: z.array(z.number()),
  downloadBytes: z.number(),
  tensorBytes: z.number(),
  tensors: z.array(tensorSchema),
});
type Manifest = z.infer<typeof manifestSchema>;
type KeptTensor = z.infer<typeof tensorSchema>;

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
      return manifest && sameKey(manifest, key) ? summary(await open(), id, manifest) : null;
    },
    open: async ({ id }) => {
      const manifest = await manifestOf(id);
      if (manifest === null) throw damaged(id, "its manifest", "none");
      return openKept(await (await open()).getDirectoryHandle(id), manifest);
    },
    write: async (key) => {
      try {
        return await writeModel(await folder({ create: true }), await idOf(key), key);
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
    else found.push(await summary(root, id, manifest));
  }
  return found.toSorted((a, b) => b.savedAt - a.savedAt);
}

async function summary(root: FileSystemDirectoryHandle, id: string, manifest: Manifest): Promise<KeptModel> {
  const { place, storage, name, commit, hashed, savedAt } = manifest;
  let sizeBytes = 0;
  const folder = await root.getDirectoryHandle(id);
  for await (const file of folder.values())
    if (file.kind === "file") sizeBytes += (await file.getFile()).size;
  return { id, place, storage, name, commit, hashed, savedAt, sizeBytes };
}

/** null where there is none, or one that this build cannot read. */
async function readManifest(root: FileSystemDirectoryHandle, id: string): Promise<Manifest | null> {
  try {
    const folder = await root.getDirectoryHandle(id);
    const parsed = manifestSchema.safeParse(JSON.parse((await readText(folder, MANIFEST)) ?? "null"));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

async function openKept(folder: FileSystemDirectoryHandle, manifest: Manifest): Promise<OpenedModel> {
  const { name, config, endTokenIds, downloadBytes, tensorBytes } = manifest;
  const specs = weightSpecs(config);
  const byName = new Map(manifest.tensors.map((tensor) => [tensor.name, tensor]));
  const wrong = specs.find((spec) => byName.get(spec.name)?.dims.join() !== spec.shape.join());
  if (wrong !== undefined) throw damaged(name, `a tensor ${wrong.name}`, "none of its shape");
  const file = await (await folder.getFileHandle(TENSORS)).getFile();
  if (file.size !== tensorBytes) throw damaged(name, `${tensorBytes} bytes of tensors`, `${file.size}`);
  return {
    name,
    config,
    endTokenIds,
    sizeBytes: downloadBytes,
    tokenizerFiles: {
      tokenizerJson: await readText(folder, TEXTS.tokenizerJson),
      tokenizerConfigJson: await readText(folder, TEXTS.tokenizerConfigJson),
      chatTemplate: await readText(folder, TEXTS.chatTemplate),
    },
    readWeights: async () => {
      const weights = new Map<string, WeightTensor>();
      for (const spec of specs)
        weights.set(spec.name, await readTensor(file, defined(byName.get(spec.name), spec.name)));
      return weights;
    },
  };
}

async function readTensor(file: File, { dims, bits, data, scales }: KeptTensor): Promise<WeightTensor> {
  const bytes = (part: z.infer<typeof partSchema>): Promise<ArrayBuffer> =>
    file.slice(part.start, part.start + part.length).arrayBuffer();
  if (bits === null || scales === null)
    return { dtype: "float32", dims, data: new Float32Array(await bytes(data)) };
  const [N = 0, K = 0] = dims;
  return {
    bits,
    dims: [N, K],
    data: new Uint8Array(await bytes(data)),
    scales: new Float32Array(await bytes(scales)),
  };
}

async function writeModel(root: FileSystemDirectoryHandle, id: string, key: CacheKey): Promise<CacheWriter> {
  await root.removeEntry(id, { recursive: true }).catch(() => undefined); // none, or open elsewhere
  const folder = await root.getDirectoryHandle(id, { create: true });
  const stream = await (await folder.getFileHandle(TENSORS, { create: true })).createWritable();
  const out: Written = { stream, tensors: [], bytes: 0 };
  let fault: PlaygroundError | null = null;
  const drop = async (): Promise<void> => {
    await stream.abort().catch(() => undefined); // else the file stays locked
    await root.removeEntry(id, { recursive: true }).catch(() => undefined);
  };
  const guarded = async (work: () => Promise<void>): Promise<void> => {
    if (fault !== null) return;
    try {
      await work();
    } catch (error) {
      fault = notKept(error);
      await drop();
    }
  };
  return {
    fault: () => fault,
    drop,
    keep: (name, tensor) => guarded(() => writeTensor(out, name, tensor)),
    finish: async (model, about) => {
      await guarded(async () => {
        await stream.close();
        await writeTexts(folder, model);
        await writeText(folder, MANIFEST, JSON.stringify(manifestFor(model, out, { ...key, ...about })));
      });
      return fault === null;
    },
  };
}

/** What was written of a model's tensors so far. */
interface Written {
  readonly stream: FileSystemWritableFileStream;
  readonly tensors: KeptTensor[];
  bytes: number;
}

async function writeTensor(out: Written, name: string, tensor: WeightTensor): Promise<void> {
  const [bits, scales] = isBlockTensor(tensor) ? [tensor.bits, tensor.scales] : [null, null];
  const data = await writeArray(out, tensor.data);
  const scalesPart = scales && (await writeArray(out, scales));
  out.tensors.push({ name, dims: [...tensor.dims], bits, data, scales: scalesPart });
}

async function writeArray(out: Written, array: HostTensor["data"]): Promise<z.infer<typeof partSchema>> {
  const bytes = new Uint8Array(array.buffer as ArrayBuffer, array.byteOffset, array.byteLength);
  const start = out.bytes;
  const padding = -bytes.length & (ALIGNMENT - 1);
  await out.stream.write(bytes);
  if (padding > 0) await out.stream.write(new Uint8Array(padding));
  out.bytes += bytes.length + padding;
  return { start, length: bytes.length };
}

function manifestFor(
  { name, config, sizeBytes, endTokenIds }: LoadedModel,
  { tensors, bytes }: Written,
  about: CacheKey & About,
): Manifest {
  return {
    version: VERSION,
    ...about,
    hashed: [...about.hashed],
    name,
    config,
    endTokenIds: [...endTokenIds],
    downloadBytes: sizeBytes,
    tensorBytes: bytes,
    tensors,
  };
}

async function writeTexts(folder: FileSystemDirectoryHandle, model: LoadedModel): Promise<void> {
  const files = model.tokenizerFiles;
  for (const field of ["tokenizerJson", "tokenizerConfigJson", "chatTemplate"] as const) {
    const text = files[field];
    if (text !== null) await writeText(folder, TEXTS[field], text);
  }
}

async function writeText(folder: FileSystemDirectoryHandle, path: string, text: string): Promise<void> {
  const stream = await (await folder.getFileHandle(path, { create: true })).createWritable();
  await stream.write(text);
  await stream.close(); // takes the file's place at once
}

async function readText(folder: FileSystemDirectoryHandle, path: string): Promise<string | null> {
  const file = await orNone(folder.getFileHandle(path));
  return file && (await file.getFile()).text();
}

/** null where there is none. */
async function orNone<Handle>(asked: Promise<Handle>): Promise<Handle | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof DOMException && error.name === "NotFoundError") return null;
    throw error;
  }
}

const keyText = ({ place, storage }: CacheKey): string =>
  JSON.stringify(
    place.kind === "hub"
      ? [place.endpoint, place.repo, place.revision, place.file, storage]
      : [place.url, storage],
  );

const sameKey = (one: CacheKey, other: CacheKey): boolean => keyText(one) === keyText(other);

/** A folder's name: what a person would look for, and a hash of all of the key. */
async function idOf(key: CacheKey): Promise<string> {
  const { createSHA1 } = await import("hash-wasm");
  const hash = (await createSHA1()).init().update(keyText(key)).digest("hex").slice(0, 12);
  const { place } = key;
  const words = place.kind === "hub" ? (place.file ?? place.repo) : new URL(place.url).pathname;
  return `${words.replace(/[^\w.-]+/g, "-").slice(-60)}-${key.storage}-${hash}`;
}

function notKept(cause: unknown): PlaygroundError {
  const full = cause instanceof DOMException && cause.name === "QuotaExceededError";
  const got = full ? "none left" : cause instanceof Error ? cause.message : String(cause);
  return new PlaygroundError(
    {
      code: full ? "storage-full" : "storage-failed",
      where: "keeping the model",
      expected: full
        ? "room in this site's share of the browser's storage"
        : "the browser's storage to answer",
      got,
      next: "The model works all the same; it is downloaded again next time.",
    },
    { cause },
  );
}

function damaged(where: string, expected: string, got: string): PlaygroundError {
  const next = "The kept model is dropped and downloaded again.";
  return new PlaygroundError({ code: "storage-failed", where, expected, got, next });
}
