/**
 * Chromium with a page of the benches: built by the project's own vite settings into .cache/bench, served with the headers
 * that give it threads. What runs in its worker is the code of the shipped page.
 */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Browser, type Page, type Worker } from "playwright";
import { build, preview, type PreviewServer } from "vite";
import { peakPageBytes } from "../e2e/process-memory.ts";
import { CHROMIUM_FLAGS, findChromium, HOW_TO_GET_CHROMIUM } from "../scripts/chromium.ts";
import type { EngineBench } from "./pages/engine-worker.ts";
import type { TransformersBench } from "./pages/transformers-worker.ts";

const ROOT = join(import.meta.dirname, "..");
/** Both from the root, as vite takes them. */
const PAGES = ".cache/bench/pages";
const PAGE = "bench/pages/index.html";
export const BENCH_FOLDER = join(ROOT, ".cache/bench");

interface Workers {
  readonly engine: EngineBench;
  readonly transformers: TransformersBench;
}

/** The worker's functions, called from here; arguments and results travel as JSON. */
export type Remote<T> = {
  readonly [K in keyof T]: T[K] extends (argument: infer A) => Promise<infer R>
    ? (argument: A) => Promise<R>
    : never;
};

export interface BenchPages {
  /** A fresh page with a worker of its own. */
  open<K extends keyof Workers>(worker: K): Promise<Remote<Workers[K]>>;
  /** The page that a worker belongs to. */
  pageOf(worker: object): Page;
  /** Ends the browser and starts another: nothing is cached, and the peaks of its processes begin anew. */
  renew(): Promise<void>;
  /** Most bytes that the largest page process has held since the browser started. */
  peakBytes(): Promise<number>;
  close(): Promise<void>;
}

export async function launchBrowser(flags: readonly string[] = []): Promise<Browser> {
  const executablePath = await findChromium();
  if (executablePath === null) throw new Error(`no Chromium. ${HOW_TO_GET_CHROMIUM}`);
  return chromium.launch({ executablePath, args: [...CHROMIUM_FLAGS, ...flags] });
}

/** Builds and serves the benches' page; `files` are folders copied beside it, by their path there. */
export async function openBenchPages(files: Readonly<Record<string, string>> = {}): Promise<BenchPages> {
  await build({
    configFile: join(ROOT, "vite.config.ts"),
    root: ROOT,
    publicDir: false,
    logLevel: "error",
    build: { outDir: PAGES, emptyOutDir: true, rolldownOptions: { input: join(ROOT, PAGE) } },
  });
  for (const [path, folder] of Object.entries(files))
    cpSync(folder, join(ROOT, PAGES, path), { recursive: true });
  const server: PreviewServer = await preview({
    configFile: join(ROOT, "vite.config.ts"),
    root: ROOT,
    logLevel: "error",
    build: { outDir: PAGES },
    preview: { port: 0 },
  });
  let browser = await launchBrowser();
  const address = server.resolvedUrls?.local[0] ?? "";
  const opened = new WeakMap<object, Page>();
  return {
    async open(name) {
      const page = await browser.newPage();
      page.on("pageerror", (error) => {
        process.stderr.write(`bench page: ${error.message}\n`);
      });
      const [worker] = await Promise.all([
        page.waitForEvent("worker"),
        page.goto(`${address}${PAGE}?worker=${name}`),
      ]);
      const proxy = remote<Workers[typeof name]>(worker);
      opened.set(proxy, page);
      return proxy;
    },
    pageOf(worker) {
      const page = opened.get(worker);
      if (page === undefined) throw new Error("no worker of these pages");
      return page;
    },
    async renew() {
      await browser.close();
      browser = await launchBrowser();
    },
    peakBytes: () => peakPageBytes(browser),
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

/** A worker is there before its script has run: each call waits for `bench`. */
function remote<T>(worker: Worker): Remote<T> {
  const call = (method: string) => (argument: unknown) =>
    worker.evaluate(
      async ([name, given]) => {
        type Table = Record<string, (argument: unknown) => Promise<unknown>>;
        const scope = globalThis as unknown as { bench?: Table };
        while (scope.bench === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
        return scope.bench[name]?.(given);
      },
      [method, argument] as const,
    );
  // a promise asks whether what it resolves to is one too
  return new Proxy({} as Remote<T>, { get: (_, name) => (name === "then" ? undefined : call(String(name))) });
}
