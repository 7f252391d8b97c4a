/** A Chromium with the check's page: built by the project's own settings into .cache/check-gpu, served with its headers. */
import { join } from "node:path";
import { chromium, type Worker } from "playwright";
import { build, preview } from "vite";
import { peakGpuProcessBytes, peakPageBytes } from "../../e2e/process-memory.ts";
import { findChromium, HOW_TO_GET_CHROMIUM, QUIET_FLAGS, SOFTWARE_GPU_FLAGS } from "../chromium.ts";
import type { GpuCheck } from "./worker.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const PAGE = "scripts/check-gpu/index.html";
const FOLDER = ".cache/check-gpu";

/** A real GPU in headless Chromium. On Linux that is Vulkan; elsewhere these flags say what is the case anyway. */
const REAL_GPU_FLAGS = [
  "--enable-unsafe-webgpu",
  "--ignore-gpu-blocklist",
  "--enable-features=Vulkan,DefaultANGLEVulkan,VulkanFromANGLE",
  "--use-angle=vulkan",
  "--disable-vulkan-surface",
];

/** The worker's functions, called from here. */
export type RemoteCheck = {
  readonly [K in keyof GpuCheck]: GpuCheck[K] extends (argument: infer A) => Promise<infer R>
    ? (argument: A extends unknown ? A : null) => Promise<R>
    : never;
};

export interface CheckPage {
  readonly check: RemoteCheck;
  readonly close: () => Promise<void>;
}

/** Most bytes that the largest process of each kind has held. */
export interface ProcessPeaks {
  readonly pageBytes: number;
  /** The browser's process for GPUs. */
  readonly gpuProcessBytes: number;
}

export interface CheckPages {
  /** A fresh page, hence a fresh worker in which no engine has been opened. */
  open(): Promise<CheckPage>;
  /** null where the system does not tell (elsewhere than on Linux). */
  processPeaks(): Promise<ProcessPeaks | null>;
  close(): Promise<void>;
}

export async function openCheckPages(software: boolean): Promise<CheckPages> {
  const executablePath = await findChromium();
  if (executablePath === null) throw new Error(`no Chromium. ${HOW_TO_GET_CHROMIUM}`);
  const shared = { configFile: join(ROOT, "vite.config.ts"), root: ROOT, logLevel: "error" } as const;
  const output = { outDir: FOLDER, emptyOutDir: true, rolldownOptions: { input: join(ROOT, PAGE) } };
  await build({ ...shared, publicDir: false, build: output });
  const server = await preview({ ...shared, build: { outDir: FOLDER }, preview: { port: 0 } });
  const gpuFlags = software ? SOFTWARE_GPU_FLAGS : REAL_GPU_FLAGS;
  const browser = await chromium.launch({ executablePath, args: [...QUIET_FLAGS, ...gpuFlags] });
  const address = server.resolvedUrls?.local[0] ?? "";
  return {
    async open() {
      const page = await browser.newPage();
      page.on("pageerror", (error) => {
        process.stderr.write(`${error.message}\n`);
      });
      const [worker] = await Promise.all([page.waitForEvent("worker"), page.goto(`${address}${PAGE}`)]);
      return { check: remote(worker), close: () => page.close() };
    },
    async processPeaks() {
      try {
        const [pageBytes, gpuProcessBytes] = [
          await peakPageBytes(browser),
          await peakGpuProcessBytes(browser),
        ];
        return { pageBytes, gpuProcessBytes };
      } catch {
        return null;
      }
    },
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

/** A worker is there before its script has run: each call waits for `check`. */
function remote(worker: Worker): RemoteCheck {
  const call = (method: string) => (argument: unknown) =>
    worker.evaluate(
      async ([name, given]) => {
        type Table = Record<string, (argument: unknown) => Promise<unknown>>;
        const scope = globalThis as unknown as { check?: Table };
        while (scope.check === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
        return scope.check[name]?.(given);
      },
      [method, argument] as const,
    );
  // a promise asks whether what it resolves to is one too
  return new Proxy({} as RemoteCheck, {
    get: (_, name) => (name === "then" ? undefined : call(String(name))),
  });
}
