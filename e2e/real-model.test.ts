/**
 * A model of a hub on the built site: looked at before its weights move, given up on the way, loaded by id, trained two
 * steps. The hub is a server of this test that holds the bundled model under another name and writes down what is asked.
 */
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import type { Browser, Locator } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchChromium } from "./chromium.ts";
import { ofKind, Playground, SMALL } from "./playground.ts";
import { serveFolder, type StaticHost } from "./static-server.ts";

const ROOT = join(import.meta.dirname, "..");
const FILES = join(ROOT, "models", "playground-qwen3-1m");
const WEIGHTS = "/test/tiny/resolve/main/model.safetensors";
const HEADERS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Headers": "*",
  "Access-Control-Expose-Headers": "*",
  "Cross-Origin-Resource-Policy": "cross-origin",
  "Content-Type": "application/octet-stream",
};

let host: StaticHost;
let hub: Server;
let hubUrl: string;
let browser: Browser;
let play: Playground;
let asked: string[] = [];
/** Weights stay away while this is set. */
let stalled = false;

beforeAll(async () => {
  hub = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://hub");
    if (request.method === "OPTIONS") {
      response.writeHead(204, HEADERS).end();
      return;
    }
    asked.push(`${request.method ?? ""} ${pathname}`);
    if (stalled && pathname === WEIGHTS && request.method === "GET") {
      response.writeHead(200, { ...HEADERS, "Content-Length": 1e6 }).write("x");
      return;
    }
    serve(pathname, request.headers.range, request.method === "HEAD", response);
  });
  await new Promise<void>((resolve) => hub.listen(0, "localhost", resolve));
  const address = hub.address();
  if (address === null || typeof address === "string") throw new Error("the hub has no port");
  hubUrl = `http://localhost:${address.port}`;
  host = await serveFolder(join(ROOT, "dist"), "/site/");
  browser = await launchChromium();
  play = new Playground(await browser.newPage({ viewport: { width: 1440, height: 1040 } }));
  await play.open(host.url);
});
afterAll(async () => {
  await browser.close();
  await host.close();
  hub.closeAllConnections();
  hub.close();
});

function serve(pathname: string, range: string | undefined, head: boolean, response: ServerResponse): void {
  if (pathname.startsWith("/test/gated/")) {
    response.writeHead(403, { ...HEADERS, "X-Error-Code": "GatedRepo" }).end();
  } else if (pathname === "/test/other/resolve/main/config.json") {
    response.writeHead(200, HEADERS).end('{"model_type":"mamba"}');
  } else {
    const path = /^\/test\/tiny\/resolve\/main\/(.+)$/.exec(pathname)?.[1];
    const file = join(FILES, path ?? "none");
    if (existsSync(file)) sendFile(readFileSync(file), range, head, response);
    else response.writeHead(404, HEADERS).end();
  }
}

/** The whole file, or the asked part of it. */
function sendFile(bytes: Buffer, range: string | undefined, head: boolean, response: ServerResponse): void {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
  const [start, end] = from === undefined ? [0, bytes.length] : [Number(from), Number(to) + 1];
  const part = bytes.subarray(start, end);
  response.writeHead(from === undefined ? 200 : 206, {
    ...HEADERS,
    ...(from === undefined ? {} : { "Content-Range": `bytes ${from}-${to ?? ""}/${bytes.length}` }),
    "Accept-Ranges": "bytes",
    "Content-Length": part.length,
    ETag: `"${String(bytes.length)}"`,
  });
  response.end(head ? undefined : part);
}

async function openSheet(): Promise<Locator> {
  await play.page.locator(".model-chip").click();
  return play.page.getByRole("dialog", { name: "Model" });
}

/** Asks what a model costs. */
async function look(sheet: Locator, id: string): Promise<void> {
  await sheet.getByLabel("Model id").fill(id);
  await sheet.getByRole("button", { name: "What does it cost?" }).click();
}

test("what cannot be used is refused with its reason, before any weights are asked for", async () => {
  const sheet = await openSheet();
  await sheet.locator("summary", { hasText: "huggingface.co" }).click();
  await sheet.getByLabel("Hub address").fill(hubUrl);
  const refused = sheet.getByRole("alert");
  for (const [id, reason] of [
    ["test/other", /qwen3.*got mamba/],
    ["test/gated", /403|gate/],
    ["test/none", /none|404/],
  ] as const) {
    await look(sheet, id);
    await expect.poll(() => refused.textContent(), { timeout: 20_000 }).toMatch(reason);
  }
  expect(asked.join("\n")).not.toMatch(/\.safetensors$/m);
});

test("the cost is told, loading can be given up, and the run before it stays", async () => {
  const sheet = play.page.getByRole("dialog", { name: "Model" });
  await look(sheet, "test/tiny");
  const cost = sheet.locator(".model-cost");
  await cost.waitFor();
  const told = await cost.textContent();
  expect(told).toContain("1.03 million parameters");
  expect(told).toContain("4.1"); // MB of weights
  expect(told).toMatch(/Everything runs on the processor/);
  expect(told).toMatch(/cache of the answers.*Together/);
  stalled = true;
  await sheet.getByRole("button", { name: /load it/i }).click();
  await sheet.getByRole("button", { name: "Cancel" }).click();
  await sheet.getByRole("button", { name: /load it/i }).waitFor();
  stalled = false;
  await sheet.getByRole("button", { name: "Close" }).click();
  expect(await play.fault.count()).toBe(0);
  expect(await play.page.locator(".model-chip").textContent()).toContain("1.0 M");
  await play.control("Train").and(play.page.locator(":enabled")).waitFor();
});

test("it loads by its id, shows a prompt as it reads it, and trains two steps", async () => {
  asked = [];
  const sheet = await openSheet();
  await sheet.locator("summary", { hasText: "huggingface.co" }).click();
  await sheet.getByLabel("Hub address").fill(hubUrl);
  await look(sheet, "test/tiny");
  await sheet.getByRole("button", { name: /load it/i }).click();
  await sheet.getByRole("heading", { name: "Loaded: test/tiny" }).waitFor();
  expect(asked).toContain(`GET ${WEIGHTS}`);
  await expect.poll(() => sheet.getByText(/About .* a step/).count()).toBe(1);
  await sheet.getByRole("button", { name: "Show the tokens" }).click();
  await expect.poll(() => sheet.locator(".prompt-tokens").textContent()).toContain("<|im_start|>1user");
  await sheet.getByRole("button", { name: "Close" }).click();
  await play.setUp(2, SMALL);
  await play.finish("Train");
  expect(ofKind(await play.rows(), "step").filter((row) => row["step"] === 2)).toHaveLength(2);
});
