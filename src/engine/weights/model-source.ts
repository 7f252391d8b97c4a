/** Where a model's files come from: a web address, a folder under Node, a test's memory. */

/** Bytes read so far of one file; the total is null where the server does not tell. */
export type ReadProgress = (loadedBytes: number, totalBytes: number | null) => void;

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ReadProgress | undefined;
}

/** What is known of the files that were read so far. */
export interface Provenance {
  /** The commit they are of; null where the source has none. */
  readonly commit: string | null;
  /** Files whose hash was compared with the one that the source gives. */
  readonly hashed: readonly string[];
}

/** How far a file is hashed; `state` null = all of it, and its hash was the told one. */
export interface HashMark {
  readonly at: number;
  readonly state: readonly number[] | null;
}

/** By path. */
export type HashMarks = Readonly<Record<string, HashMark>>;

export interface ModelSource {
  /** Shown to people and named in errors. */
  readonly name: string;
  /**
   * A file's bytes, null where there is no such file. `path` is relative, e.g. "config.json".
   * @throws PlaygroundError `model-fetch-failed`, `aborted`.
   */
  read(path: string, options?: ReadOptions): Promise<Uint8Array | null>;
  /**
   * A large file, read in parts; null where there is no such file. A source without it is read whole.
   * @throws PlaygroundError `model-fetch-failed`, `aborted`.
   */
  open?(path: string, options?: ReadOptions): Promise<RangedFile | null>;
  /** The paths that there are; absent where the source cannot tell. */
  list?(): Promise<readonly string[]>;
  /** Absent where nothing is compared. */
  provenance?(): Provenance;
  /** How far the files that are open are hashed, to go on there in another loading of the same files. */
  hashMarks?(): HashMarks;
  /** Goes on hashing the files that are open where another loading ended. */
  resumeHashes?(marks: HashMarks): Promise<void>;
}

/** A file of which any part can be read. */
export interface RangedFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** Tells its content from any other that its address may lead to; absent or null = cannot be told. */
  readonly version?: string | null;
  /** Bytes [start, end). @throws PlaygroundError `model-fetch-failed`, `aborted`. */
  read(start: number, end: number, options?: ReadOptions): Promise<Uint8Array>;
}

/** Opens a file of any source; one that cannot read parts is read whole, once. */
export async function openFile(
  source: ModelSource,
  path: string,
  options: ReadOptions = {},
): Promise<RangedFile | null> {
  if (source.open) return source.open(path, options);
  const bytes = await source.read(path, options);
  return bytes && wholeFile(path, bytes);
}

/** A file that is in memory. */
export function wholeFile(path: string, bytes: Uint8Array): RangedFile {
  return {
    path,
    sizeBytes: bytes.length,
    read: (start, end) => Promise.resolve(bytes.subarray(start, end)),
  };
}
