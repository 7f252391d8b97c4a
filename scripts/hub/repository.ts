/**
 * A folder as a repository of the hub: its files with what the hub tells of each. Large files (and those of weights) are LFS
 * files with a SHA-256; of the others the hub gives git's blob id. The commit is made of all of them, so it changes with any.
 */
import { createHash } from "node:crypto";
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** Kept by LFS whatever their size, as the hub's .gitattributes says. */
const LFS_NAMES = /\.(safetensors|gguf|bin|pt|pth|onnx|h5|msgpack)$/;
const LFS_BYTES = 10 * 1024 * 1024;
/** What git itself keeps of an LFS file. */
const pointerOf = (sha256: string, sizeBytes: number): string =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256}\nsize ${sizeBytes}\n`;

export interface HubFile {
  /** Slashes between folders. */
  readonly path: string;
  /** Of the file on disk. */
  readonly place: string;
  readonly sizeBytes: number;
  /** git's SHA-1 of the blob, which of an LFS file is its pointer. */
  readonly blobId: string;
  /** null = not an LFS file. */
  readonly sha256: string | null;
}

export interface HubRepository {
  /** Owner and name. */
  readonly id: string;
  readonly commit: string;
  readonly files: ReadonlyMap<string, HubFile>;
}

/** Reads names, sizes and hashes (a gigabyte takes about a second). */
export async function readRepository(id: string, folder: string): Promise<HubRepository> {
  const files = new Map<string, HubFile>();
  for (const place of filesIn(folder)) {
    const path = relative(folder, place).split(sep).join("/");
    const { size } = statSync(place);
    const lfs = LFS_NAMES.test(path) || size > LFS_BYTES;
    const sha256 = lfs ? await hashOf(place, "sha256") : null;
    const blob = sha256 === null ? readFileSync(place) : Buffer.from(pointerOf(sha256, size));
    files.set(path, { path, place, sizeBytes: size, sha256, blobId: blobIdOf(blob) });
  }
  const commit = createHash("sha1")
    .update(JSON.stringify([...files.values()].map((file) => [file.path, file.blobId])))
    .digest("hex");
  return { id, commit, files };
}

/** What `/api/models/ID/revision/REVISION` answers; sizes and hashes only with `?blobs=true`. */
export function modelInfo(
  repository: HubRepository,
  { blobs, gated }: { blobs: boolean; gated: boolean },
): object {
  const { id, commit, files } = repository;
  return {
    _id: commit.slice(0, 24),
    id,
    modelId: id,
    author: id.split("/")[0],
    sha: commit,
    private: false,
    gated: gated ? "manual" : false,
    disabled: false,
    tags: [],
    siblings: [...files.values()].map(({ path, sizeBytes, blobId, sha256 }) => ({
      rfilename: path,
      ...(blobs && { size: sizeBytes, blobId }),
      ...(blobs && sha256 !== null && { lfs: { sha256, ...lfsOf(sha256, sizeBytes) } }),
    })),
  };
}

/** What `/api/models/ID/tree/REVISION` answers. */
export function modelTree({ files }: HubRepository): object {
  return [...files.values()].map(({ path, sizeBytes, blobId: oid, sha256 }) => ({
    type: "file",
    oid,
    size: sizeBytes,
    path,
    ...(sha256 !== null && { lfs: { oid: sha256, ...lfsOf(sha256, sizeBytes) } }),
  }));
}

const lfsOf = (sha256: string, size: number) => ({ size, pointerSize: pointerOf(sha256, size).length });

/** A folder of models: OWNER/NAME/ in it, or the folder of one model, which becomes local/NAME. */
export async function readRepositories(folder: string): Promise<HubRepository[]> {
  const name = (path: string): string => path.split(sep).at(-1) ?? path;
  if (isModel(folder)) return [await readRepository(`local/${name(folder)}`, folder)];
  const repositories: HubRepository[] = [];
  for (const owner of foldersIn(folder)) {
    if (isModel(owner)) repositories.push(await readRepository(`local/${name(owner)}`, owner));
    else
      for (const model of foldersIn(owner).filter(isModel))
        repositories.push(await readRepository(`${name(owner)}/${name(model)}`, model));
  }
  return repositories;
}

function isModel(folder: string): boolean {
  return readdirSync(folder).some((file) => file === "config.json" || file.endsWith(".gguf"));
}

function foldersIn(folder: string): string[] {
  return entriesOf(folder).filter((entry) => statSync(entry).isDirectory());
}

function filesIn(folder: string): string[] {
  const files = entriesOf(folder).flatMap((entry) =>
    statSync(entry).isDirectory() ? filesIn(entry) : [entry],
  );
  return files.sort();
}

/** Links count as what they lead to, as in the cache of huggingface_hub; those that lead nowhere are left out. */
function entriesOf(folder: string): string[] {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((entry) => existsSync(entry));
}

function blobIdOf(blob: Buffer): string {
  return createHash("sha1").update(`blob ${blob.length}\0`).update(blob).digest("hex");
}

async function hashOf(place: string, algorithm: string): Promise<string> {
  const hash = createHash(algorithm);
  for await (const part of createReadStream(place, { highWaterMark: 1 << 20 })) hash.update(part as Buffer);
  return hash.digest("hex");
}
