/**
 * A static host as plain as they come: serves a folder below a sub-path, without COOP, COEP or any other header of
 * ours. What the built site needs beyond that, it must bring.
 */
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

export interface StaticHost {
  /** Address of the site's page, with the sub-path. */
  readonly url: string;
  readonly origin: string;
  close(): Promise<void>;
}

/** What a host gives for a path in place of the folder's file; null = 404. */
export type Replacement = { readonly type: string; readonly body: string | Uint8Array } | null;

/**
 * Serves `folder` at http://localhost:<free port><basePath>; `basePath` begins and ends with a slash. `replaced` holds
 * answers by path below it; it is asked at each request, so what is wrong there can be mended while the host runs.
 */
export async function serveFolder(
  folder: string,
  basePath: string,
  replaced: ReadonlyMap<string, Replacement> = new Map(),
): Promise<StaticHost> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname);
    const inside = path.startsWith(basePath) ? normalize(path.slice(basePath.length)) : null;
    const other = inside === null ? undefined : replaced.get(inside);
    if (other != null) {
      response.writeHead(200, { "Content-Type": other.type }).end(other.body);
      return;
    }
    const file = other === null || inside === null || inside.startsWith("..") ? null : join(folder, inside);
    const found = file === null ? null : existingFile(file);
    if (found === null) {
      response.writeHead(404, { "Content-Type": "text/plain" }).end("not found");
      return;
    }
    response.writeHead(200, { "Content-Type": TYPES[extname(found)] ?? "application/octet-stream" });
    createReadStream(found).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the static host has no port");
  const origin = `http://localhost:${address.port}`;
  return {
    url: origin + basePath,
    origin,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

function existingFile(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return existingFile(join(path, "index.html"));
  return stats?.isFile() ? path : null;
}
