/**
 * A file behind an address, whole or as a RangedFile. Who reads it in order gets one stream: a request asks for more than is read, and the
 * next reading goes on with it. A connection that breaks is taken up where it broke; an answer of another version of the
 * file, by its ETag or its size, is refused, so that two versions are never mixed.
 */
import { PlaygroundError } from "../../base/errors.ts";
import {
  ask,
  bodyBytes,
  failed,
  guarded,
  readAnswer,
  refusal,
  refuseHtml,
  refusePage,
  type Remote,
  Stalled,
  unlessStalled,
} from "./download.ts";
import { breakable, Broken, createPatience, untilWhole } from "./broken-connection.ts";
import { type RangedFile, type ReadOptions, wholeFile } from "./model-source.ts";

/** Asked for ahead of a reading that goes on where the last one ended: a request for every 64 MB instead of every tensor. */
const AHEAD_BYTES = 64e6;
/** A whole file, asked for anew where its body breaks off or nothing comes; null where there is none. */
export function downloadWhole(remote: Remote, options: ReadOptions): Promise<Uint8Array | null> {
  return untilWhole(remote, options, async () => {
    const response = await firstAnswer(remote, {}, options);
    return breakable(() => readAnswer(remote, response, options));
  });
}

/** Asks for the first byte: a server that knows ranges tells the size, another sends the whole file. */
export function openDownload(remote: Remote, options: ReadOptions): Promise<RangedFile | null> {
  return untilWhole(remote, options, async () => {
    const response = await firstAnswer(remote, { range: "bytes=0-0" }, options);
    if (response.status !== 206) {
      const bytes = await breakable(() => readAnswer(remote, response, options));
      return bytes && wholeFile(remote.path, bytes);
    }
    await response.body?.cancel();
    refuseHtml(remote, response);
    const size = totalOf(response) ?? (await sizeByHead(remote, options));
    if (size === null) throw failed(remote.url, "the file's size in Content-Range or Content-Length", "none");
    return rangedDownload(remote, size, versionOf(response));
  });
}

/** An address that cannot be reached is told at once; a server that says nothing is asked again. @throws Broken */
async function firstAnswer(...asked: Parameters<typeof ask>): Promise<Response> {
  try {
    return await ask(...asked);
  } catch (fault) {
    throw fault instanceof PlaygroundError && fault.cause instanceof Stalled ? new Broken(fault) : fault;
  }
}

/** A file whose size is known. `version` is the ETag that was seen already. */
export function rangedDownload(remote: Remote, sizeBytes: number, version: string | null = null): RangedFile {
  const download: Download = { remote, sizeBytes, version, modified: null, flow: null, next: -1 };
  let turn: Promise<unknown> = Promise.resolve();
  return {
    path: remote.path,
    sizeBytes,
    get version() {
      return download.version ?? download.modified;
    },
    read: (start, end, options = {}) => {
      const mine = turn.then(() => readRange(download, { start, end }, options));
      turn = mine.catch(() => undefined);
      return mine;
    },
  };
}

interface Download {
  readonly remote: Remote;
  readonly sizeBytes: number;
  version: string | null;
  /** Last-Modified, which a page may read of every answer. */
  modified: string | null;
  /** An answer that is being read. */
  flow: Flow | null;
  /** Where the last reading ended. */
  next: number;
}

interface Flow {
  readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  /** Position in the file of what comes next. */
  at: number;
  /** Where the answer ends. */
  readonly end: number;
  /** What came and was not taken yet. */
  rest: Uint8Array;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Goes on where a connection broke, as long as bytes still come. */
async function readRange(
  download: Download,
  { start, end }: Span,
  options: ReadOptions,
): Promise<Uint8Array> {
  const { remote, sizeBytes } = download;
  const bytes = new Uint8Array(end - start);
  const ahead = start === download.next ? Math.max(end, Math.min(sizeBytes, start + AHEAD_BYTES)) : end;
  const patience = createPatience(remote, options);
  for (let loaded = 0; loaded < bytes.length;) {
    const taken = await take(download, { start: start + loaded, end: ahead }, options);
    if (taken instanceof Broken) {
      await patience.after(taken);
      continue;
    }
    patience.renew();
    const part = taken.rest.subarray(0, bytes.length - loaded);
    bytes.set(part, loaded);
    taken.rest = taken.rest.subarray(part.length);
    taken.at += part.length;
    loaded += part.length;
    options.onProgress?.(loaded, bytes.length);
  }
  download.next = end;
  return bytes;
}

/** The flow with bytes at the span's start; what cut it off, if anything did. @throws PlaygroundError when it is refused or aborted */
async function take(download: Download, span: Span, options: ReadOptions): Promise<Flow | Broken> {
  const { remote } = download;
  try {
    const going = download.flow;
    const flow =
      going?.at === span.start && going.at < going.end ? going : await openFlow(download, span, options);
    if (flow.rest.length === 0) flow.rest = await nextPart(remote, flow, options);
    return flow;
  } catch (fault) {
    drop(download);
    if (fault instanceof Broken) return fault;
    throw fault;
  }
}

async function openFlow(download: Download, { start, end }: Span, options: ReadOptions): Promise<Flow> {
  const { remote } = download;
  drop(download);
  const response = await breakable(() => ask(remote, { range: `bytes=${start}-${end - 1}` }, options));
  try {
    checkAnswer(download, response, start);
  } catch (fault) {
    await response.body?.cancel();
    throw fault;
  }
  const reader = response.body?.getReader();
  if (reader === undefined) throw failed(remote.url, "a body", "none");
  // a server without ranges sends the file from its beginning
  const [at, last] = response.status === 206 ? [start, end] : [0, download.sizeBytes];
  const flow: Flow = { reader, at, end: last, rest: new Uint8Array(0) };
  download.flow = flow;
  let first = true;
  do {
    flow.rest = await nextPart(remote, flow, options);
    if (first) refusePage(remote, flow.rest, flow.at === 0);
    first = false;
    const over = Math.min(start - flow.at, flow.rest.length);
    flow.at += over;
    flow.rest = flow.rest.subarray(over);
  } while (flow.at < start);
  return flow;
}

/** @throws PlaygroundError for a refusal, a page, another part, another version. */
function checkAnswer(download: Download, response: Response, start: number): void {
  const { remote } = download;
  const partial = response.status === 206;
  if (!partial && response.status !== 200) {
    throw refusal(remote, response, "status 206") ?? failed(remote.url, "status 206", `${response.status}`);
  }
  refuseHtml(remote, response);
  checkVersion(download, response, partial ? totalOf(response) : bodyBytes(response));
  const at = /^bytes (\d+)-/.exec(response.headers.get("content-range") ?? "")?.[1] ?? start;
  if (partial && Number(at) !== start)
    throw failed(remote.url, `bytes from ${start} on`, `bytes from ${at} on`);
}

/** By size and ETag, where a page may read them. */
function checkVersion(download: Download, response: Response, total: number | null): void {
  const { remote, sizeBytes } = download;
  if (total !== null && total !== sizeBytes) throw changed(remote.url, `${sizeBytes} bytes`, `${total}`);
  const version = versionOf(response);
  download.version ??= version;
  download.modified ??= response.headers.get("last-modified");
  if (version !== null && version !== download.version) {
    throw changed(remote.url, `version ${download.version ?? "unknown"}`, version);
  }
}

/** @throws Broken where the connection ended. */
async function nextPart(remote: Remote, flow: Flow, options: ReadOptions): Promise<Uint8Array> {
  const part = await breakable(() =>
    guarded(remote.url, options, () => unlessStalled(remote, () => flow.reader.read())),
  );
  if (part.done)
    throw new Broken(failed(remote.url, "more bytes", `${flow.at} before the connection closed`));
  return part.value;
}

function drop(download: Download): void {
  void download.flow?.reader.cancel().catch(() => undefined);
  download.flow = null;
}

async function sizeByHead(remote: Remote, options: ReadOptions): Promise<number | null> {
  const response = await ask(remote, { method: "HEAD" }, options);
  return response.status === 200 ? bodyBytes(response) : null;
}

function totalOf({ headers }: Response): number | null {
  const total = /\/(\d+)$/.exec(headers.get("content-range") ?? "")?.[1];
  return total === undefined ? null : Number(total);
}

/** The ETag, weak or strong; null where there is none, or none that this page may read. */
function versionOf({ headers }: Response): string | null {
  return headers.get("etag")?.replace(/^W\//, "") ?? null;
}

function changed(url: string, expected: string, got: string): PlaygroundError {
  return new PlaygroundError({
    code: "model-fetch-failed",
    where: url,
    expected: `${expected}, as when it was opened`,
    got,
    next: "The file was replaced while it was read: load again.",
  });
}
