/** A model's files behind a base URL, or one GGUF file behind its own. Trusts status codes, never pages: HTML is refused. */
import type { Remote, Transport } from "./download.ts";
import { downloadWhole, openDownload } from "./download-file.ts";
import type { ModelSource } from "./model-source.ts";

/**
 * `baseUrl` is the folder of the files, with or without a slash at its end.
 * A 404 or 410 is a file that is not there (null); anything else but 200 is `model-fetch-failed`.
 */
export function createUrlSource(name: string, baseUrl: string, transport: Transport = {}): ModelSource {
  const base = baseUrl.endsWith("/") ? baseUrl : `${baseUrl}/`;
  return sourceOf(name, (path) => ({ ...transport, path, url: `${base}${path}` }));
}

/** One GGUF file behind its own address, which may have a query. */
export function createGgufUrlSource(name: string, url: string, transport: Transport = {}): ModelSource {
  const file = ggufFileOf(url) ?? "model.gguf";
  return { ...sourceOf(name, (path) => ({ ...transport, path, url })), list: () => Promise.resolve([file]) };
}

/** The file's name where an address ends in .gguf; null otherwise. */
export function ggufFileOf(url: string): string | null {
  const last = new URL(url).pathname.split("/").at(-1) ?? "";
  return last.toLowerCase().endsWith(".gguf") ? decodeURIComponent(last) : null;
}

function sourceOf(name: string, remoteOf: (path: string) => Remote): ModelSource {
  return {
    name,
    read: (path, options = {}) => downloadWhole(remoteOf(path), options),
    open: (path, options = {}) => openDownload(remoteOf(path), options),
  };
}
