/**
 * A server that answers like the Hugging Face hub, from folders of this machine: the model API, `resolve` with the hub's headers
 * and its redirects (small files to a path of its own, weights to a download host of another origin), ranges, gates. Writes
 * down what it is asked, and does wrong what it is told to.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { CDN_CORS, HUB_CORS, refuse, sendFile } from "./answers.ts";
import type { Asked, Misbehave, Misbehaviour } from "./misbehaviour.ts";
import { type HubRepository, modelInfo, modelTree } from "./repository.ts";

export interface HubOptions {
  /** Of several with one id the last is its branch main; the others are commits before. */
  readonly repositories: readonly HubRepository[];
  /** 0 = any free one; the download host takes the next free one. */
  readonly port?: number;
  /** Tokens that open a repository's gate, by its id; a repository that is not named here is open to all. */
  readonly gates?: ReadonlyMap<string, readonly string[]>;
  readonly misbehave?: Misbehave;
  readonly bytesPerSecond?: number | null;
}

export interface Hub {
  readonly url: string;
  readonly cdnUrl: string;
  /** Everything asked so far, preflights left out. */
  readonly asked: readonly Asked[];
  /** Bytes of files sent so far. */
  readonly sentBytes: () => number;
  readonly close: () => Promise<void>;
}

export async function startHub(options: HubOptions): Promise<Hub> {
  const asked: Asked[] = [];
  let sent = 0;
  const onSent = (bytes: number): void => {
    sent += bytes;
  };
  const serve =
    (server: Asked["server"], answer: (request: Seen, response: ServerResponse) => void) =>
    (incoming: IncomingMessage, response: ServerResponse): void => {
      if (incoming.method === "OPTIONS") {
        response.writeHead(204, server === "hub" ? HUB_CORS : CDN_CORS).end();
        return;
      }
      const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://hub");
      const request: Asked = {
        server,
        method: incoming.method ?? "GET",
        path: decodeURIComponent(pathname),
        range: incoming.headers.range ?? null,
        authorization: incoming.headers.authorization ?? null,
      };
      asked.push(request);
      const wrong = options.misbehave?.(request) ?? null;
      if (wrong?.kind !== "silent") answer({ ...request, query: searchParams, wrong, onSent }, response);
    };
  const cdn = await listen(
    0,
    serve("cdn", (request, response) => {
      answerCdn(options, request, response);
    }),
  );
  const hub = await listen(
    options.port ?? 0,
    serve("hub", (request, response) => {
      answerHub(options, cdn.url, request, response);
    }),
  );
  return {
    url: hub.url,
    cdnUrl: cdn.url,
    asked,
    sentBytes: () => sent,
    close: async () => {
      await Promise.all([hub.close(), cdn.close()]);
    },
  };
}

interface Seen extends Asked {
  readonly query: URLSearchParams;
  readonly wrong: Misbehaviour | null;
  readonly onSent: (bytes: number) => void;
}

function answerHub(options: HubOptions, cdnUrl: string, request: Seen, response: ServerResponse): void {
  const { path, wrong } = request;
  if (wrong?.kind === "status") {
    response.writeHead(wrong.status, { ...HUB_CORS, ...wrong.headers }).end();
    return;
  }
  const api = /^\/api\/models\/([^/]+\/[^/]+)(?:\/(revision|tree)\/(.+))?$/.exec(path);
  if (api !== null) {
    const [, id = "", what = "revision", revision = "main"] = api;
    const repository = find(options, { id, revision }, request, response);
    if (repository === null) return;
    const blobs = request.query.get("blobs") === "true";
    const info = modelInfo(repository, { blobs, gated: options.gates?.has(id) === true });
    const told = what === "tree" ? modelTree(repository) : info;
    response.writeHead(200, { ...HUB_CORS, "Content-Type": "application/json" }).end(JSON.stringify(told));
    return;
  }
  const cached = /^\/api\/resolve-cache\/models\/([^/]+\/[^/]+)\/([^/]+)\/(.+)$/.exec(path);
  const asked = cached ?? /^\/([^/]+\/[^/]+)\/resolve\/([^/]+)\/(.+)$/.exec(path);
  if (asked === null) {
    refuse(response, 404, null, "Sorry, we can't find the page you are looking for.");
    return;
  }
  resolveFile({ options, cdnUrl, cached: cached !== null }, request, response, asked.slice(1));
}

interface Resolving {
  readonly options: HubOptions;
  readonly cdnUrl: string;
  readonly cached: boolean;
}

function resolveFile(
  { options, cdnUrl, cached }: Resolving,
  request: Seen,
  response: ServerResponse,
  [id = "", revision = "", path = ""]: readonly string[],
): void {
  const repository = find(options, { id, revision }, request, response);
  if (repository === null || !passes(options, id, request, response)) return;
  const file = repository.files.get(path);
  if (file === undefined) {
    refuse(response, 404, "EntryNotFound", "Entry not found");
    return;
  }
  const ETag = `"${file.sha256 ?? file.blobId}"`;
  const headers = { ...HUB_CORS, "X-Repo-Commit": repository.commit, ETag };
  if (cached) {
    sendFile(response, { ...request, file, headers, bytesPerSecond: null });
    return;
  }
  const linked = { "X-Linked-Size": String(file.sizeBytes), "X-Linked-ETag": ETag };
  const Location =
    file.sha256 === null
      ? `/api/resolve-cache/models/${id}/${repository.commit}/${encodeURI(path)}`
      : `${cdnUrl}/${id}/${file.sha256}?signature=${file.sha256.slice(0, 8)}`;
  response.writeHead(file.sha256 === null ? 307 : 302, { ...headers, ...linked, Location }).end();
}

/** The repository at a revision; where there is none, the answer is given. */
function find(
  { repositories }: HubOptions,
  { id, revision }: { readonly id: string; readonly revision: string },
  { authorization }: Seen,
  response: ServerResponse,
): HubRepository | null {
  const versions = repositories.filter((each) => each.id === id);
  if (versions.length === 0) {
    // the hub does not tell strangers whether a model is private or does not exist
    refuse(response, authorization === null ? 401 : 404, "RepoNotFound", "Repository not found");
    return null;
  }
  const found = revision === "main" ? versions.at(-1) : versions.find(({ commit }) => commit === revision);
  if (found !== undefined) return found;
  refuse(response, 404, "RevisionNotFound", `Invalid rev id: ${revision}`);
  return null;
}

function passes(
  { gates }: HubOptions,
  id: string,
  { authorization }: Seen,
  response: ServerResponse,
): boolean {
  const tokens = gates?.get(id);
  if (tokens === undefined) return true;
  const token = /^Bearer (.+)$/.exec(authorization ?? "")?.[1];
  if (token !== undefined && tokens.includes(token)) return true;
  const words = `Access to model ${id} is restricted.`;
  if (token === undefined)
    refuse(response, 401, "GatedRepo", `${words} You must be authenticated to access it.`);
  else refuse(response, 403, "GatedRepo", `${words} You are not in the authorized list.`);
  return false;
}

function answerCdn(
  { repositories, bytesPerSecond }: HubOptions,
  request: Seen,
  response: ServerResponse,
): void {
  const { wrong, path } = request;
  if (wrong?.kind === "status") {
    response.writeHead(wrong.status, { ...CDN_CORS, ...wrong.headers }).end();
    return;
  }
  const [, id, sha256] = /^\/([^/]+\/[^/]+)\/([0-9a-f]+)$/.exec(path) ?? [];
  const files = repositories.filter((each) => each.id === id).flatMap((each) => [...each.files.values()]);
  const file = files.find((each) => each.sha256 === sha256);
  if (file === undefined) {
    response.writeHead(403, CDN_CORS).end("<Error><Code>AccessDenied</Code></Error>");
    return;
  }
  const headers = { ...CDN_CORS, ETag: `"${file.blobId}"` };
  sendFile(response, { ...request, file, headers, bytesPerSecond: bytesPerSecond ?? null });
}

interface Listening {
  readonly url: string;
  readonly close: () => Promise<void>;
}

async function listen(
  port: number,
  answer: (incoming: IncomingMessage, response: ServerResponse) => void,
): Promise<Listening> {
  const server: Server = createServer(answer);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, "localhost", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return {
    url: `http://localhost:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
