/** Where a model's files come from: a web address, a folder under Node, a test's memory. */

/** Bytes read so far of one file; the total is null where the server does not tell. */
export type ReadProgress = (loadedBytes: number, totalBytes: number | null) => void;

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ReadProgress | undefined;
}

export interface ModelSource {
  /** Shown to people and named in errors. */
  readonly name: string;
  /**
   * A file's bytes, null where there is no such file. `path` is relative, e.g. "config.json".
   * @throws PlaygroundError `model-fetch-failed`, `aborted`.
   */
  read(path: string, options?: ReadOptions): Promise<Uint8Array | null>;
}
