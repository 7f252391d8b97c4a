/**
 * A model of the Hugging Face hub or a mirror of it, by its id. The hub's API is asked once: it names the commit, from which
 * every file is then read, so that a model cannot change while it is loaded, and the files with their sizes and hashes. The
 * token goes to the endpoint alone: downloads lead on to other hosts, and there fetch leaves `Authorization` out.
 */
import { z } from "zod";
import { PlaygroundError } from "../../base/errors.ts";
import { failed, type Remote, type Transport } from "./download.ts";
import { downloadWhole, openDownload, rangedDownload } from "./download-file.ts";
import { checkWhole, type HashedFile, hashedFile, type ToldHash } from "./download-hash.ts";
import { explainHub } from "./hub-refusals.ts";
import type { HashMark, ModelSource, RangedFile, ReadOptions } from "./model-source.ts";

export interface HubModel {
  /** Owner and name. */
  readonly repo: string;
  /** Branch, tag or commit. */
  readonly revision: string;
  /** Address of the hub or of a mirror. */
  readonly endpoint: string;
  /** In memory only; null = none. */
  readonly token: string | null;
  /** One GGUF file of the repository; null = what there is. */
  readonly file: string | null;
}

/** A file that a person can choose. */
export interface HubChoiceFile {
  readonly path: string;
  readonly sizeBytes: number | null;
}

const infoSchema = z.looseObject({
  sha: z.string(),
  siblings: z.array(
    z.looseObject({
      rfilename: z.string(),
      size: z.number().nullish(),
      blobId: z.string().nullish(),
      lfs: z.looseObject({ sha256: z.string().nullish(), size: z.number().nullish() }).nullish(),
    }),
  ),
});

interface ListedFile {
  readonly path: string;
  readonly sizeBytes: number | null;
  readonly told: ToldHash | null;
}

interface Listing {
  readonly commit: string;
  readonly files: ReadonlyMap<string, ListedFile>;
}

type HubTransport = Omit<Transport, "headers" | "explain">;

/** Nothing is asked before the first reading. */
export function createHubSource(model: HubModel, transport: HubTransport = {}): ModelSource {
  const { repo, file } = model;
  const name = file === null ? repo : `${repo}/${file}`;
  const hashed = new Set<string>();
  const open = new Map<string, HashedFile>();
  let listed: Promise<Listing> | null = null;
  let commit: string | null = null;
  const listing = async (options: ReadOptions = {}): Promise<Listing> => {
    listed ??= readListing(model, transport, options);
    try {
      const found = await listed;
      ({ commit } = found);
      return found;
    } catch (fault) {
      listed = null; // asked again
      throw fault;
    }
  };
  const find = async (path: string, options: ReadOptions): Promise<Found | undefined> => {
    const { files, commit: at } = await listing(options);
    const one = files.get(path);
    const url = `${baseOf(model)}/${repo}/resolve/${at}/${encoded(path)}`;
    return one && { file: one, commit: at, remote: remoteOf(model, transport, { url, path }) };
  };
  const onEqual = (path: string) => () => void hashed.add(path);
  return {
    name,
    list: async () => visible(await listing(), model),
    read: async (path, options = {}) => {
      const found = await find(path, options);
      return found === undefined ? null : readWhole(found, options, onEqual(path));
    },
    open: async (path, options = {}) => {
      const found = await find(path, options);
      const ranges = found === undefined ? null : await openRanges(found, options);
      if (found?.file.told?.kind !== "sha256" || ranges === null) return ranges;
      const { told } = found.file;
      const file = hashedFile(ranges, { told, where: found.remote.url, onEqual: onEqual(path) });
      open.set(path, file);
      return file;
    },
    provenance: () => ({ commit, hashed: [...hashed] }),
    hashMarks: () => {
      const marks: Record<string, HashMark> = {};
      for (const [path, opened] of open) {
        const mark = opened.mark();
        if (mark !== null) marks[path] = mark;
      }
      return marks;
    },
    resumeHashes: async (marks) => {
      for (const [path, mark] of Object.entries(marks)) await open.get(path)?.resume(mark);
    },
  };
}

/** The GGUF files of a repository, to choose one of. @throws PlaygroundError as a reading does */
export async function listGgufFiles(
  model: HubModel,
  transport: HubTransport = {},
): Promise<readonly HubChoiceFile[]> {
  const { files } = await readListing(model, transport, {});
  return ggufIn([...files.keys()]).map((path) => ({ path, sizeBytes: files.get(path)?.sizeBytes ?? null }));
}

interface Found {
  readonly commit: string;
  readonly file: ListedFile;
  readonly remote: Remote;
}

async function readWhole(
  { file: { sizeBytes, told }, remote }: Found,
  options: ReadOptions,
  onEqual: () => void,
): Promise<Uint8Array> {
  // large files are taken up where a connection breaks, small ones come whole
  const large = told?.kind === "sha256" && sizeBytes !== null;
  const bytes = large
    ? await rangedDownload(remote, sizeBytes).read(0, sizeBytes, options)
    : await downloadWhole(remote, options);
  if (bytes === null) throw failed(remote.url, "a file that the hub lists", "none");
  if (sizeBytes !== null && bytes.length !== sizeBytes)
    throw failed(remote.url, `${sizeBytes} bytes, as the hub says`, `${bytes.length}`);
  if (told !== null) {
    await checkWhole(bytes, told, remote.url);
    onEqual();
  }
  return bytes;
}

async function openRanges(
  { file: { sizeBytes }, commit, remote }: Found,
  options: ReadOptions,
): Promise<RangedFile | null> {
  // the hub's size: a download host need not let a page read Content-Range
  const file = sizeBytes === null ? await openDownload(remote, options) : rangedDownload(remote, sizeBytes);
  return file && { ...file, version: commit };
}

async function readListing(model: HubModel, transport: HubTransport, options: ReadOptions): Promise<Listing> {
  const { repo, revision } = model;
  const url = `${baseOf(model)}/api/models/${repo}/revision/${encodeURIComponent(revision)}?blobs=true`;
  const remote = remoteOf(model, transport, { url, path: "info.json" });
  const { signal } = options;
  const bytes = await downloadWhole(remote, { signal });
  if (bytes === null) throw failed(url, "the hub's answer about the model", "404");
  const parsed = infoSchema.safeParse(parseJson(bytes, url));
  if (!parsed.success) throw failed(url, "the model's commit and files in JSON", "something else");
  const { sha, siblings } = parsed.data;
  const files = siblings.map(({ rfilename: path, size, blobId, lfs }): ListedFile => ({
    path,
    sizeBytes: size ?? lfs?.size ?? null,
    told: lfs != null ? toldHash("sha256", lfs.sha256) : toldHash("git-blob", blobId),
  }));
  return { commit: sha, files: new Map(files.map((file) => [file.path, file])) };
}

/** What the loader may see: the chosen GGUF file alone, or the only one of a repository without safetensors. */
function visible({ files }: Listing, { repo, file }: HubModel): readonly string[] {
  const paths = [...files.keys()];
  if (file !== null) {
    if (files.has(file)) return [file];
    throw noSuchFile(`${repo}/${file}`, paths);
  }
  if (paths.some((path) => path.endsWith(".safetensors"))) return paths;
  const gguf = ggufIn(paths);
  if (gguf.length < 2) return gguf.length === 0 ? paths : gguf;
  throw new PlaygroundError({
    code: "model-file-choice",
    where: repo,
    expected: "the name of one of its GGUF files",
    got: `${gguf.length} of them: ${gguf.join(", ")}`,
    next: `Choose one, or write ${repo}/${gguf[0] ?? "FILE.gguf"} as the id.`,
  });
}

/** Whole models only: no parts of a split one, no vision projector. */
function ggufIn(paths: readonly string[]): string[] {
  return paths.filter(
    (path) => /\.gguf$/i.test(path) && !/-\d{5}-of-\d{5}\.gguf$/i.test(path) && !/(^|\/)mmproj/i.test(path),
  );
}

function remoteOf(
  { token, repo, endpoint }: HubModel,
  transport: HubTransport,
  place: Pick<Remote, "url" | "path">,
): Remote {
  const headers = token === null ? {} : { Authorization: `Bearer ${token}` };
  const explain = explainHub({ repo, endpoint, withToken: token !== null });
  return { ...transport, ...place, headers, explain };
}

const baseOf = ({ endpoint }: HubModel): string => endpoint.replace(/\/+$/, "");

const encoded = (path: string): string => path.split("/").map(encodeURIComponent).join("/");

function toldHash(kind: ToldHash["kind"], hex: string | null | undefined): ToldHash | null {
  return hex == null ? null : { kind, hex };
}

function parseJson(bytes: Uint8Array, url: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw failed(url, "JSON", cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function noSuchFile(where: string, paths: readonly string[]): PlaygroundError {
  const gguf = paths.filter((path) => /\.gguf$/i.test(path));
  return new PlaygroundError({
    code: "model-fetch-failed",
    where,
    expected: gguf.length === 0 ? "a repository with GGUF files" : `one of ${gguf.join(", ")}`,
    got: "another name",
    next: "Check the file's name, or give the repository's id alone.",
  });
}
