/**
 * Bytes, gzip, of what a visitor's browser asks for on the built site: JavaScript of the first paint, all JavaScript of a
 * run of the bundled model, and all bytes of it (runtime, weights, tokenizer and page). Every address counts once.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { launchBrowser } from "./bench-page.ts";
import { isolated, pressTrain, serveBuiltSite, stepReached } from "./built-site.ts";
import { type Bench, plainFigure } from "./figure.ts";

/** The heaviest files are printed. */
const SHOWN = 8;
const WAIT_MS = 120_000;
const kB = (bytes: number): string => `${(bytes / 1000).toFixed(0)} kB`;

export const pageWeight: Bench = async ({ print }) => {
  const site = await serveBuiltSite();
  const browser = await launchBrowser();
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 1040 } });
    const asked = new Set<string>();
    context.on("request", (request) => {
      const { origin, pathname } = new URL(request.url());
      if (origin === site.origin) asked.add(pathname);
    });
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT_MS);
    await page.goto(site.url);
    await isolated(page);
    const firstPaint = new Set(await page.evaluate<string[]>(ASKED_BEFORE_FIRST_PAINT));
    await pressTrain(page);
    await stepReached(page, 1);
    const sizes = [...asked].map((path) => ({ path, bytes: gzipBytes(site.folder, path) }));
    sizes.sort((a, b) => b.bytes - a.bytes);
    for (const { path, bytes } of sizes.slice(0, SHOWN)) print(`${kB(bytes).padStart(9)} ${path}`);
    const scripts = sizes.filter(({ path }) => /\.m?js$/.test(path));
    const sum = (files: typeof sizes): number => files.reduce((total, { bytes }) => total + bytes, 0);
    return [
      plainFigure("page-weight-first-paint", "bytes", [
        sum(scripts.filter(({ path }) => firstPaint.has(path))),
      ]),
      plainFigure("page-weight-scripts", "bytes", [sum(scripts)]),
      plainFigure("page-weight", "bytes", [sum(sizes)]),
    ];
  } finally {
    await browser.close();
    await site.close();
  }
};

/** Paths of the scripts that began to load before the first contentful paint. */
const ASKED_BEFORE_FIRST_PAINT = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    const [paint] = list.getEntriesByName("first-contentful-paint");
    if (!paint) return;
    const before = performance.getEntriesByType("resource").filter((entry) => entry.startTime < paint.startTime);
    resolve(before.map((entry) => new URL(entry.name).pathname));
  }).observe({ type: "paint", buffered: true });
})`;

/** Of a file of the site; 0 for what is not there (the browser asks for a favicon by itself). */
function gzipBytes(folder: string, path: string): number {
  try {
    return gzipSync(readFileSync(join(folder, path.endsWith("/") ? `${path}index.html` : path))).length;
  } catch {
    return 0;
  }
}
