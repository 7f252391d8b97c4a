/** A model's files behind a base URL, read by fetch with byte progress. Trusts status codes, never pages: HTML is refused. */
import { PlaygroundError } from "../../base/errors.ts";
import type { ModelSource, ReadOptions } from "./model-source.ts";

/** The only kinds asked for, so that a development server does not answer a missing file with its index page. */
const ACCEPT = "application/octet-stream, application/json, text/plain";

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
  return { name, read: (path, options = {}) => readUrl(`${base}${path}`, fetcher, options) };
}

async function readUrl(url: string, fetcher: typeof fetch, options: ReadOptions): Promise<Uint8Array | null> {
  try {
    const response = await fetcher(url, { headers: { Accept: ACCEPT }, signal: options.signal ?? null });
    return await readAnswer(url, response, options);
  } catch (cause) {
    if (cause instanceof PlaygroundError) throw cause;
    if (options.signal?.aborted === true) throw aborted(url, cause);
    throw failed(url, "an answer", cause instanceof Error ? cause.message : String(cause), cause);
  }
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
