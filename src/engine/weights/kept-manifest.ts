/**
 * What stands in the folder of a kept model, and how it is named: parts with tensors one after the other, the tokenizer's files,
 * and a manifest that lists them. While a model is being written its manifest is not `complete`.
 */
import { z } from "zod";
import { PlaygroundError } from "../../base/errors.ts";
import type { ModelConfig } from "../nn/model-config.ts";
import type { WeightTensor } from "../graph/block-tensor.ts";
import type { WeightStorage } from "./stored-weight.ts";

/** To be raised when what is written changes its form: older entries are dropped. */
const VERSION = 2;
const MANIFEST = "manifest.json";
/** The tokenizer's files, by their field. */
export const TEXTS = {
  tokenizerJson: "tokenizer.json",
  tokenizerConfigJson: "tokenizer_config.json",
  chatTemplate: "chat_template.jinja",
} as const;

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
const spanSchema = z.object({ start: z.number(), length: z.number() });
const tensorSchema = z.object({
  name: z.string(),
  dims: z.array(z.number()),
  /** null = plain float32. */
  bits: z.union([z.literal(4), z.literal(8)]).nullable(),
  /** Name of the part that it lies in. */
  part: z.string(),
  data: spanSchema,
  scales: spanSchema.nullable(),
});
const manifestSchema = z.object({
  version: z.literal(VERSION),
  /** False while tensors are missing. */
  complete: z.boolean(),
  place: placeSchema,
  storage: z.enum(["f32", "q8", "q4"]),
  name: z.string(),
  /** Tells the files that it is made of from other versions of them; null = they cannot be told apart. */
  files: z.string().nullable(),
  /** Begins the names of its parts. */
  tag: z.string(),
  commit: z.string().nullable(),
  hashed: z.array(z.string()),
  /** How far each file is hashed, while it is not complete. */
  marks: z.record(z.string(), z.object({ at: z.number(), state: z.array(z.number()).nullable() })),
  savedAt: z.number(),
  config: z.custom<ModelConfig>((value) => typeof value === "object" && value !== null),
  endTokenIds: z.array(z.number()),
  downloadBytes: z.number(),
  tensors: z.array(tensorSchema),
  /** The first bytes of the tensor in which a loading ended, as its file has them. */
  cut: z.object({ name: z.string(), part: z.string(), length: z.number() }).nullable(),
});
export type Manifest = z.infer<typeof manifestSchema>;
export type KeptTensor = z.infer<typeof tensorSchema>;
export type KeptSpan = z.infer<typeof spanSchema>;
export const MANIFEST_VERSION = VERSION;

/** null where there is none, or one that this build cannot read. */
export async function readManifest(root: FileSystemDirectoryHandle, id: string): Promise<Manifest | null> {
  try {
    const folder = await root.getDirectoryHandle(id);
    const parsed = manifestSchema.safeParse(JSON.parse((await readText(folder, MANIFEST)) ?? "null"));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

export function writeManifest(folder: FileSystemDirectoryHandle, manifest: Manifest): Promise<void> {
  return writeText(folder, MANIFEST, JSON.stringify(manifest));
}

/** Everything in the folder that a complete model does not need: parts of an earlier writing. What is open elsewhere stays. */
export async function removeOthers(
  folder: FileSystemDirectoryHandle,
  tensors: readonly KeptTensor[],
): Promise<void> {
  const needed = new Set<string>([MANIFEST, ...Object.values(TEXTS), ...tensors.map(({ part }) => part)]);
  const others: string[] = [];
  for await (const file of folder.keys()) if (!needed.has(file)) others.push(file);
  for (const file of others) await folder.removeEntry(file).catch(() => undefined);
}

/** Reads tensors of one folder. @throws PlaygroundError `storage-failed` where a part is missing or cut */
export function tensorReader(
  folder: FileSystemDirectoryHandle,
): (tensor: KeptTensor) => Promise<WeightTensor> {
  const parts = new Map<string, File>();
  const partOf = async (name: string): Promise<File> => {
    const file = parts.get(name) ?? (await (await folder.getFileHandle(name)).getFile());
    parts.set(name, file);
    return file;
  };
  return async ({ name, dims, bits, part, data, scales }) => {
    const file = await partOf(part);
    const bytes = ({ start, length }: KeptSpan): Promise<ArrayBuffer> => {
      if (start + length > file.size)
        throw damaged(`${part}: ${name}`, `${start + length} bytes`, `${file.size}`);
      return file.slice(start, start + length).arrayBuffer();
    };
    if (bits === null || scales === null)
      return { dtype: "float32", dims, data: new Float32Array(await bytes(data)) };
    const [N = 0, K = 0] = dims;
    return {
      bits,
      dims: [N, K],
      data: new Uint8Array(await bytes(data)),
      scales: new Float32Array(await bytes(scales)),
    };
  };
}

/** @throws PlaygroundError `storage-failed` for a part that is missing or too short */
export async function checkParts(
  folder: FileSystemDirectoryHandle,
  tensors: readonly KeptTensor[],
): Promise<void> {
  const ends = new Map<string, number>();
  for (const { part, data, scales } of tensors) {
    const end = Math.max(data.start + data.length, scales === null ? 0 : scales.start + scales.length);
    ends.set(part, Math.max(end, ends.get(part) ?? 0));
  }
  for (const [part, end] of ends) {
    const handle = await orNone(folder.getFileHandle(part));
    const size = handle === null ? 0 : (await handle.getFile()).size;
    if (size < end) throw damaged(part, `${end} bytes of tensors`, `${size}`);
  }
}

export async function writeText(
  folder: FileSystemDirectoryHandle,
  path: string,
  text: string,
): Promise<void> {
  const stream = await (await folder.getFileHandle(path, { create: true })).createWritable();
  await stream.write(text);
  await stream.close(); // takes the file's place at once
}

export async function readText(folder: FileSystemDirectoryHandle, path: string): Promise<string | null> {
  const file = await orNone(folder.getFileHandle(path));
  return file && (await file.getFile()).text();
}

/** null where there is none. */
export async function orNone<Handle>(asked: Promise<Handle>): Promise<Handle | null> {
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

export const sameKey = (one: CacheKey, other: CacheKey): boolean => keyText(one) === keyText(other);

/** A folder's name: what a person would look for, and a hash of all of the key. */
export async function idOf(key: CacheKey): Promise<string> {
  const { createSHA1 } = await import("hash-wasm");
  const hash = (await createSHA1()).init().update(keyText(key)).digest("hex").slice(0, 12);
  const { place } = key;
  const words = place.kind === "hub" ? (place.file ?? place.repo) : new URL(place.url).pathname;
  return `${words.replace(/[^\w.-]+/g, "-").slice(-60)}-${key.storage}-${hash}`;
}

export function damaged(where: string, expected: string, got: string): PlaygroundError {
  const next = "The kept model is dropped and downloaded again.";
  return new PlaygroundError({ code: "storage-failed", where, expected, got, next });
}
