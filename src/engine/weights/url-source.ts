/** A model's files behind a base URL, read by fetch with byte progress. Trusts status codes, never pages: HTML is refused. */
import { PlaygroundError } from "../../base/errors.ts";
import { type ModelSource, type RangedFile, type ReadOptions, wholeFile } from "./model-source.ts";

/** The only kinds asked for, so that a development server does not answer a missing file with its index page. */
const ACCEPT = "application/octet-stream, application/json, text/plain";

/** Readings of a range in a row that may end without a byte. */
const MOST_FAILURES = 4;

/**
 * `baseUrl` is the folder of the files, with or without a slash at its end; `fetcher` is replaced in tests.
 * A 404 or 410 is a file that is not there (null); anything else but 200 is `model-fetch-failed`.
 */
export function createUrlSource(
  name: string,
  baseUrl: string,
  fetcher: typeof fetch = (input, init) => fetch(input, init),
): ModelSource {
  const base = baseUrl.endsWith("/") ? baseUrl : `${baseUrl}/`;
  return {
    name,
    read: (path, options = {}) => readUrl(`${base}${path}`, fetcher, options),
    open: (path, options = {}) => openUrl({ url: `${base}${path}`, path, fetcher }, options),
  };
}

interface Remote {
  readonly url: string;
  readonly path: string;
  readonly fetcher: typeof fetch;
}

/** Asks for the first byte: a server that knows ranges tells the size, another sends the whole file. */
async function openUrl(remote: Remote, options: ReadOptions): Promise<RangedFile | null> {
  const { url, path } = remote;
  const response = await request(remote, "bytes=0-0", options);
  if (response.status !== 206) {
    const bytes = await guarded(url, options, () => readAnswer(url, response, options));
    return bytes && wholeFile(path, bytes);
  }
  await response.body?.cancel();
  const size = /\/(\d+)$/.exec(response.headers.get("content-range") ?? "")?.[1];
  if (size === undefined) throw failed(url, "the file's size in Content-Range", "an answer without it");
  return {
    path,
    sizeBytes: Number(size),
    read: (start, end, own = {}) => readRange(remote, { start, end }, own),
  };
}

/** Goes on where a connection broke, as long as bytes still come. */
async function readRange(
  remote: Remote,
  { start, end }: { readonly start: number; readonly end: number },
  options: ReadOptions,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(end - start);
  let loaded = 0;
  const take = (part: Uint8Array): void => {
    bytes.set(part.subarray(0, bytes.length - loaded), loaded);
    loaded = Math.min(bytes.length, loaded + part.length);
    options.onProgress?.(loaded, bytes.length);
  };
  for (let failures = 0; loaded < bytes.length;) {
    const before = loaded;
    const fault = await receive(remote, `bytes=${start + loaded}-${end - 1}`, { options, take });
    failures = loaded > before ? 0 : failures + 1;
    if (failures >= MOST_FAILURES) {
      throw fault ?? failed(remote.url, `bytes ${start} to ${end}`, `${loaded} before the connection closed`);
    }
  }
  return bytes;
}

/** Takes the parts of one answer as they come; what cut it off, if anything did. @throws PlaygroundError when it is refused or aborted */
async function receive(
  remote: Remote,
  range: string,
  { options, take }: { readonly options: ReadOptions; readonly take: (part: Uint8Array) => void },
): Promise<PlaygroundError | null> {
  const answer = { refused: false };
  try {
    await guarded(remote.url, options, async () => {
      const response = await request(remote, range, options);
      answer.refused = response.status !== 206;
      if (answer.refused)
        throw failed(remote.url, "status 206", `${response.status} ${response.statusText}`.trim());
      const reader = response.body?.getReader();
      for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
        take(part.value);
    });
    return null;
  } catch (fault) {
    if (fault instanceof PlaygroundError && fault.code !== "aborted" && !answer.refused) return fault;
    throw fault;
  }
}

function request({ url, fetcher }: Remote, range: string, options: ReadOptions): Promise<Response> {
  return guarded(url, options, () =>
    fetcher(url, { headers: { Accept: ACCEPT, Range: range }, signal: options.signal ?? null }),
  );
}

/** What fails on the way is told with the address. */
async function guarded<T>(url: string, options: ReadOptions, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof PlaygroundError) throw cause;
    if (options.signal?.aborted === true) throw aborted(url, cause);
    throw failed(url, "an answer", cause instanceof Error ? cause.message : String(cause), cause);
  }
}

async function readUrl(url: string, fetcher: typeof fetch, options: ReadOptions): Promise<Uint8Array | null> {
  return guarded(url, options, async () => {
    const response = await fetcher(url, { headers: { Accept: ACCEPT }, signal: options.signal ?? null });
    return readAnswer(url, response, options);
  });
}

async function readAnswer(url: string, response: Response, options: ReadOptions): Promise<Uint8Array | null> {
  const { status, statusText } = response;
  if (status !== 200) {
    await response.body?.cancel();
    if (status === 404 || status === 410) return null;
    throw failed(url, "status 200", `${status} ${statusText}`.trim());
  }
  const bytes = await readBody(url, response, options);
  if (isHtml(response, bytes)) throw failed(url, "a model file", "an HTML page");
  return bytes;
}

async function readBody(url: string, response: Response, options: ReadOptions): Promise<Uint8Array> {
  const total = bodyBytes(response);
  const chunks: Uint8Array[] = [];
  let loaded = 0;
  const reader = response.body?.getReader();
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    chunks.push(part.value);
    loaded += part.value.length;
    options.onProgress?.(loaded, total);
  }
  if (total !== null && loaded !== total) {
    throw failed(url, `${total} bytes`, `${loaded} bytes before the connection closed`);
  }
  const bytes = new Uint8Array(loaded);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** Content-Length, where it counts the bytes that arrive: a compressed answer's does not. */
function bodyBytes(response: Response): number | null {
  const length = response.headers.get("content-length");
  const encoding = response.headers.get("content-encoding") ?? "identity";
  return length !== null && encoding === "identity" ? Number(length) : null;
}

function isHtml(response: Response, bytes: Uint8Array): boolean {
  if (/\bhtml\b/i.test(response.headers.get("content-type") ?? "")) return true;
  const start = new TextDecoder().decode(bytes.subarray(0, 64)).trimStart().toLowerCase();
  return start.startsWith("<!doctype html") || start.startsWith("<html");
}

function failed(url: string, expected: string, got: string, cause?: unknown): PlaygroundError {
  return new PlaygroundError(
    {
      code: "model-fetch-failed",
      where: url,
      expected,
      got,
      next: "Check the address and the connection, then load again.",
    },
    { cause },
  );
}

function aborted(url: string, cause: unknown): PlaygroundError {
  return new PlaygroundError(
    {
      code: "aborted",
      where: url,
      expected: "the whole file",
      got: "a stop",
      next: "Load again when wanted.",
    },
    { cause },
  );
}
