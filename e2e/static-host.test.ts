/** The built site on a static host that sets no headers, below a sub-path. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright";
import { afterAll, beforeAll, beforeEach, afterEach, expect, test } from "vitest";
import { launchChromium, recordContext, type PageRecord } from "./chromium.ts";
import { serveFolder, type StaticHost } from "./static-server.ts";

const DIST = join(import.meta.dirname, "..", "dist");

let host: StaticHost;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let record: PageRecord;

beforeAll(async () => {
  host = await serveFolder(DIST, "/some/where/");
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  await host.close();
});
beforeEach(async () => {
  context = await browser.newContext();
  record = recordContext(context);
  page = await context.newPage();
});
afterEach(() => context.close());

test("shows the page, isolated after one reload, and asks nobody else", async () => {
  let loads = 0;
  page.on("framenavigated", () => (loads += 1));
  await page.goto(host.url);
  await page.waitForFunction(() => crossOriginIsolated);
  await page.waitForFunction(() => document.querySelector("#root > *") !== null);
  await page.waitForLoadState("networkidle");
  expect(loads).toBe(2);
  expect(record.foreign(host.origin)).toEqual([]);
  expect(record.errors).toEqual([]);
});

test("stays isolated on the next visit without another reload", async () => {
  await page.goto(host.url);
  await page.waitForFunction(() => crossOriginIsolated);
  const next = await context.newPage();
  await next.goto(host.url);
  expect(await next.evaluate(() => crossOriginIsolated)).toBe(true);
});

test("goes on without isolation, and without reloading for ever, where service workers are refused", async () => {
  const refusing = await browser.newContext({ serviceWorkers: "block" });
  const visit = await refusing.newPage();
  let loads = 0;
  visit.on("framenavigated", () => (loads += 1));
  await visit.goto(host.url);
  await visit.waitForFunction(() => document.querySelector("#root > *") !== null);
  await visit.waitForLoadState("networkidle");
  expect(await visit.evaluate(() => crossOriginIsolated)).toBe(false);
  expect(loads).toBe(1);
  await refusing.close();
});

test("holds the runtime and the models, and a missing file is missing", async () => {
  const assets = readdirSync(join(DIST, "assets"));
  expect(assets.filter((name) => /^ort-wasm-simd-threaded-.*\.wasm$/.test(name))).toHaveLength(1);
  expect(assets.filter((name) => /^ort-wasm-simd-threaded\.jspi-.*\.wasm$/.test(name))).toHaveLength(1);
  expect(
    readdirSync(join(DIST, "models")).some((name) => existsSync(join(DIST, "models", name, "config.json"))),
  );
  expect((await fetch(`${host.url}models/none/config.json`)).status).toBe(404);
});
