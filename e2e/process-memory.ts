/** Peak memory of a browser's processes, as Linux counts it. */
import { readFile } from "node:fs/promises";
import type { Browser } from "playwright";

/** Most bytes that the largest page process has held in memory since it began. @throws Error elsewhere than on Linux */
export function peakPageBytes(browser: Browser): Promise<number> {
  return peakBytes(browser, "renderer");
}

/** The same of the process that computes for GPUs; a software adapter's buffers are in it. @throws Error elsewhere than on Linux */
export function peakGpuProcessBytes(browser: Browser): Promise<number> {
  return peakBytes(browser, "GPU");
}

async function peakBytes(browser: Browser, wanted: "renderer" | "GPU"): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const pages = processInfo.filter(({ type }) => type === wanted);
  const peaks = await Promise.all(
    pages.map(async ({ id }) => {
      const status = await readFile(`/proc/${id}/status`, "utf8");
      const peak = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
      if (peak === undefined) throw new Error(`expected VmHWM in /proc/${id}/status`);
      return Number(peak) * 1024;
    }),
  );
  return Math.max(...peaks);
}
