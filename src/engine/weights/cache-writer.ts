/**
 * Writes a model into the browser's private files while it is loaded: tensors in parts, each whole once it is closed, and after
 * each part a manifest of what is there. So a loading that ends early is taken up at the tensor where it ended.
 */
import { PlaygroundError } from "../../base/errors.ts";
import type { HostTensor } from "../graph/tensor.ts";
import { isBlockTensor, type WeightTensor } from "../graph/block-tensor.ts";
import { weightSpecs } from "../nn/model-config.ts";
import {
  type CacheKey,
  checkParts,
  damaged,
  type KeptSpan,
  type KeptTensor,
  type Manifest,
  MANIFEST_VERSION,
  readManifest,
  removeOthers,
  sameKey,
  tensorReader,
  TEXTS,
  writeManifest,
  writeText,
} from "./kept-manifest.ts";
import type { Begun, OpenedModel, TensorSink } from "./load-model.ts";
import type { HashMarks } from "./model-source.ts";

/** A part is closed once it has so many bytes. What is lost when a tab ends at once is less than this. */
const PART_BYTES = 16 * 2 ** 20;
/** So that any typed array can be laid over its bytes. */
const ALIGNMENT = 8;

/** What is known of a model whose tensors are about to be read. */
export interface Writing {
  readonly key: CacheKey;
  readonly opened: Omit<OpenedModel, "readWeights">;
  readonly commit: string | null;
  /** How far the source's files are hashed; asked when a part is closed. */
  readonly marks: () => HashMarks;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Writes one model. The first fault ends it: the entry is dropped and `fault` says why; loading goes on. */
export interface CacheWriter extends Required<TensorSink> {
  /** What an earlier loading left, and how far its files were hashed. */
  readonly begun: Begun & { readonly marks: HashMarks };
  readonly fault: () => PlaygroundError | null;
  /** True once the whole model is kept. */
  readonly finish: (about: {
    readonly hashed: readonly string[];
    readonly savedAt: number;
  }) => Promise<boolean>;
  /** Loading ended early: what is there stays for the next one. */
  readonly stop: () => Promise<void>;
  readonly drop: () => Promise<void>;
}

interface OpenPart {
  readonly name: string;
  readonly stream: FileSystemWritableFileStream;
  readonly tensors: KeptTensor[];
  bytes: number;
}

/** Goes on with what an earlier writing of the same files left, else begins anew. */
export async function openWriter(
  root: FileSystemDirectoryHandle,
  id: string,
  writing: Writing,
): Promise<CacheWriter> {
  const before = await begunBefore(root, id, writing);
  if (before === null) await root.removeEntry(id, { recursive: true }).catch(() => undefined); // none, or open elsewhere
  const folder = await root.getDirectoryHandle(id, { create: true });
  // a folder without a manifest is dropped by whoever lists the models
  if (before === null) await writeManifest(folder, newManifest(writing));
  const { manifest, ...begun } = before ?? { manifest: newManifest(writing), tensors: new Map(), cut: null };
  const entry = new Entry(folder, manifest, writing);
  let fault: PlaygroundError | null = null;
  const drop = async (): Promise<void> => {
    await entry.abort();
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
    begun: { ...begun, marks: manifest.marks },
    fault: () => fault,
    drop,
    keep: (name, tensor) => guarded(() => entry.keep(name, tensor)),
    onCut: (name, bytes) => {
      entry.cut = { name, bytes };
    },
    stop: () => guarded(async () => ((await entry.stop()) ? undefined : drop())),
    finish: async (about) => {
      await guarded(() => entry.finish(about));
      return fault === null;
    },
  };
}

/** A folder that is being filled. */
class Entry {
  /** In which tensor reading ended. */
  cut: Begun["cut"] = null;
  readonly #folder: FileSystemDirectoryHandle;
  readonly #manifest: Manifest;
  readonly #writing: Writing;
  /** Tensors of parts that are closed. */
  readonly #closed: KeptTensor[];
  #part: OpenPart | null = null;

  constructor(folder: FileSystemDirectoryHandle, manifest: Manifest, writing: Writing) {
    this.#folder = folder;
    this.#manifest = manifest;
    this.#writing = writing;
    this.#closed = [...manifest.tensors];
  }

  /** Tabs that write the same files write the same bytes under the same name, as far as each comes. */
  #nextName(kind: "bin" | "cut"): string {
    return `${this.#manifest.tag}-${this.#closed.length}.${kind}`;
  }

  async keep(name: string, tensor: WeightTensor): Promise<void> {
    this.#part ??= await openPart(this.#folder, this.#nextName("bin"));
    await writeTensor(this.#part, name, tensor);
    if (this.#part.bytes < PART_BYTES) return;
    await this.#closePart();
    await this.#writeManifest({});
  }

  /** What has come of a tensor is kept as the file has it. False where nothing is there to go on with. */
  async stop(): Promise<boolean> {
    await this.#closePart();
    const { cut } = this;
    if (cut === null || cut.bytes.length === 0) {
      if (this.#closed.length > this.#manifest.tensors.length) await this.#writeManifest({});
      return this.#closed.length > 0 || this.#manifest.cut !== null;
    }
    const part = this.#nextName("cut");
    const stream = await (await this.#folder.getFileHandle(part, { create: true })).createWritable();
    await stream.write(new Uint8Array(cut.bytes));
    await stream.close();
    await this.#writeManifest({ cut: { name: cut.name, part, length: cut.bytes.length } });
    return true;
  }

  async finish({ hashed, savedAt }: Parameters<CacheWriter["finish"]>[0]): Promise<void> {
    await this.#closePart();
    await writeTexts(this.#folder, this.#writing.opened);
    await this.#writeManifest({ complete: true, hashed: [...hashed], savedAt, marks: {} });
    await removeOthers(this.#folder, this.#closed);
  }

  async abort(): Promise<void> {
    await this.#part?.stream.abort().catch(() => undefined); // else the file stays locked
  }

  async #closePart(): Promise<void> {
    if (this.#part === null) return;
    const { stream, tensors } = this.#part;
    this.#part = null;
    await stream.close();
    this.#closed.push(...tensors);
  }

  #writeManifest(about: Partial<Manifest>): Promise<void> {
    const marks = Object.entries(this.#writing.marks()).map(
      ([path, { at, state }]) => [path, { at, state: state && [...state] }] as const,
    );
    return writeManifest(this.#folder, {
      ...this.#manifest,
      ...{ tensors: this.#closed, cut: null, marks: Object.fromEntries(marks) },
      ...about,
    });
  }
}

/** Of the same files, in the same form, whole and readable; null otherwise. */
async function begunBefore(
  root: FileSystemDirectoryHandle,
  id: string,
  { key, opened }: Writing,
): Promise<(Begun & { readonly manifest: Manifest }) | null> {
  const manifest = await readManifest(root, id);
  if (manifest === null || manifest.complete || !sameKey(manifest, key)) return null;
  if (manifest.files === null || manifest.files !== opened.files) return null;
  const shapes = new Map(weightSpecs(opened.config).map(({ name, shape }) => [name, shape.join()]));
  if (manifest.tensors.some(({ name, dims }) => shapes.get(name) !== dims.join())) return null;
  try {
    const folder = await root.getDirectoryHandle(id);
    await checkParts(folder, manifest.tensors);
    const read = tensorReader(folder);
    const tensors = new Map<string, WeightTensor>();
    for (const tensor of manifest.tensors) tensors.set(tensor.name, await read(tensor));
    return { manifest, tensors, cut: await readCut(folder, manifest) };
  } catch {
    return null; // damaged, or evicted meanwhile
  }
}

/** @throws PlaygroundError `storage-failed` where it is missing: the hashes go on behind it */
async function readCut(folder: FileSystemDirectoryHandle, { cut }: Manifest): Promise<Begun["cut"]> {
  if (cut === null) return null;
  const { name, part, length } = cut;
  const file = await (await folder.getFileHandle(part)).getFile();
  if (file.size < length) throw damaged(part, `${length} bytes`, `${file.size}`);
  return { name, bytes: new Uint8Array(await file.slice(0, length).arrayBuffer()) };
}

function newManifest({ key, opened, commit, now }: Writing): Manifest {
  const { name, config, endTokenIds, sizeBytes, files } = opened;
  return {
    version: MANIFEST_VERSION,
    complete: false,
    ...key,
    name,
    files,
    tag: now.toString(36),
    commit,
    hashed: [],
    marks: {},
    savedAt: now,
    config,
    endTokenIds: [...endTokenIds],
    downloadBytes: sizeBytes,
    tensors: [],
    cut: null,
  };
}

async function openPart(folder: FileSystemDirectoryHandle, name: string): Promise<OpenPart> {
  const stream = await (await folder.getFileHandle(name, { create: true })).createWritable();
  return { name, stream, tensors: [], bytes: 0 };
}

async function writeTensor(part: OpenPart, name: string, tensor: WeightTensor): Promise<void> {
  const [bits, scales] = isBlockTensor(tensor) ? [tensor.bits, tensor.scales] : [null, null];
  const data = await writeArray(part, tensor.data);
  const scalesSpan = scales && (await writeArray(part, scales));
  part.tensors.push({ name, dims: [...tensor.dims], bits, part: part.name, data, scales: scalesSpan });
}

async function writeArray(part: OpenPart, array: HostTensor["data"]): Promise<KeptSpan> {
  const bytes = new Uint8Array(array.buffer as ArrayBuffer, array.byteOffset, array.byteLength);
  const start = part.bytes;
  const padding = -bytes.length & (ALIGNMENT - 1);
  await part.stream.write(bytes);
  if (padding > 0) await part.stream.write(new Uint8Array(padding));
  part.bytes += bytes.length + padding;
  return { start, length: bytes.length };
}

async function writeTexts(
  folder: FileSystemDirectoryHandle,
  { tokenizerFiles }: Writing["opened"],
): Promise<void> {
  for (const field of ["tokenizerJson", "tokenizerConfigJson", "chatTemplate"] as const) {
    const text = tokenizerFiles[field];
    if (text !== null) await writeText(folder, TEXTS[field], text);
  }
}

/** Why a model is not kept. */
export function notKept(cause: unknown): PlaygroundError {
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
