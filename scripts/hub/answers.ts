/** How the hub's server writes its answers: files whole or in part, errors with the hub's own headers, CORS. */
import { createReadStream } from "node:fs";
import type { ServerResponse } from "node:http";
import type { HubFile } from "./repository.ts";
import { type Misbehaviour, PAGE } from "./misbehaviour.ts";

/** As the hub's: what a page of another origin may read of its answers. */
export const HUB_CORS: Readonly<Record<string, string>> = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Headers": "Authorization, Range",
  "Access-Control-Expose-Headers":
    "X-Repo-Commit, X-Error-Code, X-Error-Message, ETag, Accept-Ranges, Content-Range, X-Linked-Size, X-Linked-ETag, RateLimit, Retry-After",
};
/** A download host that lets every page read its bytes, and none of its headers. */
export const CDN_CORS: Readonly<Record<string, string>> = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Headers": "Range",
};

export type HubErrorCode = "RepoNotFound" | "RevisionNotFound" | "EntryNotFound" | "GatedRepo";

/** An error as the hub tells it: a code that programs read, and words. */
export function refuse(
  response: ServerResponse,
  status: number,
  code: HubErrorCode | null,
  words: string,
): void {
  const headers = code === null ? {} : { "X-Error-Code": code };
  response.writeHead(status, {
    ...HUB_CORS,
    ...headers,
    "X-Error-Message": words,
    "Content-Type": "application/json",
  });
  response.end(JSON.stringify({ error: words }));
}

export interface FileAnswer {
  readonly file: HubFile;
  readonly method: string;
  readonly range: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly wrong: Misbehaviour | null;
  /** null = as fast as it goes. */
  readonly bytesPerSecond: number | null;
  readonly onSent: (bytes: number) => void;
}

/** The file, or the part of it that was asked for; badly where it is told to. */
export function sendFile(response: ServerResponse, answer: FileAnswer): void {
  const { file, method, wrong } = answer;
  const asked = partOf(answer.range, file.sizeBytes);
  if (asked === "outside") {
    response.writeHead(416, { ...answer.headers, "Content-Range": `bytes */${file.sizeBytes}` }).end();
    return;
  }
  const part = wrong?.kind === "whole" ? null : asked;
  const { start, end } = part ?? { start: 0, end: file.sizeBytes };
  response.writeHead(part === null ? 200 : 206, heading(answer, part)).flushHeaders();
  if (method === "HEAD" || start === end) response.end();
  else if (wrong?.kind === "page") response.end(PAGE);
  else void pour(response, { file, start, end }, answer);
}

function heading({ file, headers, wrong }: FileAnswer, part: Span | null): Record<string, string> {
  const { start, end } = part ?? { start: 0, end: file.sizeBytes };
  const range = part === null ? {} : { "Content-Range": `bytes ${start}-${end - 1}/${file.sizeBytes}` };
  const body =
    wrong?.kind === "page"
      ? { "Content-Type": wrong.type, "Content-Length": String(PAGE.length) }
      : { "Content-Type": "application/octet-stream", "Content-Length": String(end - start) };
  const version: Record<string, string> = wrong?.kind === "other-version" ? { ETag: wrong.etag } : {};
  return { "Accept-Ranges": "bytes", ...headers, ...range, ...body, ...version };
}

/** Bytes [start, end). */
interface Span {
  readonly start: number;
  readonly end: number;
}

interface Part extends Span {
  readonly file: HubFile;
}

async function pour(response: ServerResponse, { file, start, end }: Part, answer: FileAnswer): Promise<void> {
  const { wrong } = answer;
  const stop =
    wrong?.kind === "cut" || wrong?.kind === "stall" ? Math.min(end, start + wrong.afterBytes) : end;
  try {
    if (stop > start) await pourBytes(response, { file, start, end: stop }, answer);
  } catch {
    response.destroy(); // the file is gone
  }
  if (stop === end) response.end();
  else if (wrong?.kind === "cut") response.destroy();
}

async function pourBytes(
  response: ServerResponse,
  { file, start, end }: Part,
  { wrong, bytesPerSecond, onSent }: FileAnswer,
): Promise<void> {
  const closed = once(response, "close");
  const stream = createReadStream(file.place, { start, end: end - 1, highWaterMark: 1 << 18 });
  for await (const read of stream) {
    const bytes = wrong?.kind === "other-version" ? changed(read as Buffer) : (read as Buffer);
    if (response.destroyed) return;
    onSent(bytes.length);
    if (!response.write(bytes)) await Promise.race([once(response, "drain"), closed]);
    if (bytesPerSecond !== null) await pause((1000 * bytes.length) / bytesPerSecond);
  }
}

/** Bytes that are none of the file's. */
function changed(bytes: Buffer): Buffer {
  return bytes.map((byte) => byte ^ 1) as Buffer;
}

function once(response: ServerResponse, event: "drain" | "close"): Promise<void> {
  return new Promise((resolve) => {
    response.once(event, resolve);
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** [start, end) of a Range header; null = the whole file. */
function partOf(range: string | null, sizeBytes: number): Span | "outside" | null {
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(range ?? "") ?? [];
  if (from === undefined || to === undefined) return null;
  const start = Number(from);
  const end = Math.min(sizeBytes, to === "" ? sizeBytes : Number(to) + 1);
  return start >= end ? "outside" : { start, end };
}
