/**
 * One request for a file of a model: what is asked, how long to wait where a server is busy or says nothing, and what is never
 * taken for a file (an error page, another status). Knows nothing of what the file holds. Clock and waiting are arguments.
 */
import { PlaygroundError } from "../../base/errors.ts";
import { retryAfterS } from "../../base/retry-after.ts";
import type { ReadOptions } from "./model-source.ts";

/** The only kinds asked for, so that a development server does not answer a missing file with its index page. */
const ACCEPT = "application/octet-stream, application/json, text/plain";
/** Too many requests, or a server that is down for the moment. */
const BUSY: readonly number[] = [429, 502, 503, 504];
/** Answers in a row that say "later". */
const MOST_WAITS = 5;
/** The hub counts requests in windows of five minutes; who is asked to wait longer is told so. */
const LONGEST_WAIT_S = 300;
/** [ours] A connection over which nothing comes for so long is ended. Browsers may wait for ever on one that died. */
const STALL_MS = 30_000;

/** What a refusal means where the server says more than a status; null = nothing more. */
export type Explain = (response: Response) => {
  readonly expected: string;
  readonly got: string;
  readonly next: string;
} | null;

export interface Transport {
  /** Replaced in tests. */
  readonly fetcher?: typeof fetch | undefined;
  /** Resolves after so many milliseconds; replaced in tests. */
  readonly wait?: ((ms: number) => Promise<void>) | undefined;
  /** Told before a wait of so many milliseconds that the server asked for, or that follows a broken connection. */
  readonly onWait?: ((ms: number) => void) | undefined;
  /** How long a server may say nothing, in its head or its body, before the connection is ended; 30 s where it is left out. */
  readonly stallMs?: number | undefined;
  /** Milliseconds since 1970, for a Retry-After that is a date where the answer's own Date cannot be read. */
  readonly wallClock?: (() => number) | undefined;
  /** Sent with every request. A browser and Node drop `Authorization` where a redirect leads to another origin. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly explain?: Explain | undefined;
}

export interface Remote extends Transport {
  readonly url: string;
  /** Inside the model's folder; its ending says what can stand in it. */
  readonly path: string;
}

/** Asks once, and again where the server says "later". @throws PlaygroundError `model-fetch-failed`, `aborted`. */
export async function ask(
  remote: Remote,
  { method = "GET", range }: { readonly method?: "GET" | "HEAD"; readonly range?: string },
  options: ReadOptions,
): Promise<Response> {
  const { url, fetcher = fetchOf, headers = {} } = remote;
  const asked = { Accept: ACCEPT, ...headers, ...(range !== undefined && { Range: range }) };
  // parts stay out of the browser's own cache: models are kept as they are held in memory (weight-cache.ts)
  const cache: RequestCache = range === undefined ? "default" : "no-store";
  for (let waits = 0; ; waits++) {
    const response = await guarded(url, options, () =>
      unlessStalled(remote, (stalled) => {
        const signal = options.signal === undefined ? stalled : AbortSignal.any([options.signal, stalled]);
        return fetcher(url, { method, headers: asked, cache, signal });
      }),
    );
    if (!BUSY.includes(response.status)) return response;
    await response.body?.cancel();
    const seconds = askedWait(response, remote) ?? 2 ** waits;
    if (waits >= MOST_WAITS || seconds > LONGEST_WAIT_S) throw busy(url, response, seconds);
    await pause(remote, 1000 * seconds, options);
  }
}

/** Nothing came in time. */
export class Stalled extends Error {}

/** What `work` brings. Where nothing came in time its signal fires, and it fails. @throws Stalled */
export async function unlessStalled<T>(
  { stallMs = STALL_MS }: Remote,
  work: (stalled: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stalled = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const fault = new Stalled(`nothing for ${stallMs / 1000} s`);
      ending.abort(fault);
      reject(fault);
    }, stallMs);
  });
  try {
    return await Promise.race([work(ending.signal), stalled]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits, and says so; an abort ends it. @throws PlaygroundError `aborted`. */
export async function pause(
  { url, wait = waitFor, onWait }: Remote,
  ms: number,
  { signal }: ReadOptions,
): Promise<void> {
  onWait?.(ms);
  let stop = (): void => undefined;
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted !== true) await Promise.race([wait(ms), stopped]);
  signal?.removeEventListener("abort", stop);
  if (signal?.aborted === true) throw aborted(url, signal.reason);
}

/** The bytes of a whole answer; null where it says that there is no such file. */
export async function readAnswer(
  remote: Remote,
  response: Response,
  options: ReadOptions,
): Promise<Uint8Array<ArrayBuffer> | null> {
  return guarded(remote.url, options, async () => {
    if (response.status !== 200) {
      await response.body?.cancel();
      const refused = refusal(remote, response, "status 200");
      if (refused === null) return null;
      throw refused;
    }
    refuseHtml(remote, response);
    const bytes = await readBody(remote, response, options);
    refusePage(remote, bytes, true);
    return bytes;
  });
}

/** What an answer that brings no file means; null = there is no such file. */
export function refusal(remote: Remote, response: Response, expected: string): PlaygroundError | null {
  const explained = remote.explain?.(response) ?? null;
  if (explained !== null)
    return new PlaygroundError({ code: "model-fetch-failed", where: remote.url, ...explained });
  const { status, statusText } = response;
  if (status === 404 || status === 410) return null;
  return failed(remote.url, expected, `${status} ${statusText}`.trim());
}

/** @throws PlaygroundError where the answer calls itself a page. */
export function refuseHtml({ url }: Remote, response: Response): void {
  if (/\bhtml\b/i.test(response.headers.get("content-type") ?? "")) throw pageInstead(url);
}

/** @throws PlaygroundError where the first bytes are a page's; no model file but a chat template begins with "<". */
export function refusePage({ url, path }: Remote, first: Uint8Array, fromStart: boolean): void {
  const text = new TextDecoder().decode(first.subarray(0, 64)).trimStart().toLowerCase();
  const page = text.startsWith("<!doctype html") || text.startsWith("<html") || text.startsWith("<?xml");
  if (page || (fromStart && text.startsWith("<") && !path.endsWith(".jinja"))) throw pageInstead(url);
}

async function readBody(
  remote: Remote,
  response: Response,
  options: ReadOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const total = bodyBytes(response);
  const chunks: Uint8Array[] = [];
  let loaded = 0;
  const reader = response.body?.getReader();
  try {
    for (;;) {
      const part = await unlessStalled(remote, async () => reader?.read());
      if (part?.value === undefined) break;
      chunks.push(part.value);
      loaded += part.value.length;
      options.onProgress?.(loaded, total);
    }
  } catch (fault) {
    void reader?.cancel().catch(() => undefined);
    throw fault;
  }
  // more than was told is a compressed answer, whose encoding a page may not read
  if (total !== null && loaded < total) {
    const got = `${loaded} bytes before the connection closed`;
    throw failed(remote.url, `${total} bytes`, got, new Error("cut"));
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
export function bodyBytes(response: Response): number | null {
  const length = response.headers.get("content-length");
  const encoding = response.headers.get("content-encoding") ?? "identity";
  return length !== null && encoding === "identity" ? Number(length) : null;
}

/** What fails on the way is told with the address. */
export async function guarded<T>(url: string, options: ReadOptions, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof PlaygroundError) throw cause;
    if (options.signal?.aborted === true) throw aborted(url, cause);
    throw failed(url, "an answer", cause instanceof Error ? cause.message : String(cause), cause);
  }
}

/** Seconds: Retry-After, or the `t` of the hub's RateLimit header. */
function askedWait({ headers }: Response, { wallClock }: Remote): number | null {
  const window = /(?:^|;)\s*t=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1];
  return retryAfterS(headers, wallClock) ?? (window === undefined ? null : Number(window));
}

/** The platform's at the time of the request. */
const fetchOf: typeof fetch = (input, init) => fetch(input, init);

function waitFor(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

export function failed(url: string, expected: string, got: string, cause?: unknown): PlaygroundError {
  const next = "Check the address and the connection, then load again.";
  return new PlaygroundError({ code: "model-fetch-failed", where: url, expected, got, next }, { cause });
}

function pageInstead(url: string): PlaygroundError {
  return failed(url, "a model file", "an HTML page");
}

function busy(url: string, { status }: Response, seconds: number): PlaygroundError {
  const often = status === 429;
  return new PlaygroundError({
    code: "model-fetch-failed",
    where: url,
    expected: "an answer",
    got: `${status}, ${often ? "too many requests" : "the server is busy"}`,
    next: `Load again in ${seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`}${often ? "; with a token a hub allows more requests" : ""}.`,
  });
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
