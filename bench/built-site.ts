/** The site as it is shipped, built into .cache/bench and served as a plain static host serves it: no headers of ours. */
import { join } from "node:path";
import type { Locator, Page } from "playwright";
import { build } from "vite";
import { serveFolder, type StaticHost } from "../e2e/static-server.ts";

const ROOT = join(import.meta.dirname, "..");
const SITE = ".cache/bench/site";

export interface BuiltSite extends StaticHost {
  readonly folder: string;
}

export async function serveBuiltSite(): Promise<BuiltSite> {
  await build({
    configFile: join(ROOT, "vite.config.ts"),
    root: ROOT,
    logLevel: "error",
    build: { outDir: SITE, emptyOutDir: true },
  });
  const folder = join(ROOT, SITE);
  return { ...(await serveFolder(folder, "/")), folder };
}

/** Presses Train as soon as it can be pressed. */
export async function pressTrain(page: Page): Promise<void> {
  await control(page, "Train").and(page.locator(":enabled")).click();
}

/** One of the run's buttons. */
export function control(page: Page, name: string): Locator {
  return page.locator(".run-controls").getByRole("button", { name });
}

/** Waits until so many steps are finished, as the header counts them. */
export async function stepReached(page: Page, step: number): Promise<void> {
  await page.waitForFunction(`Number(document.querySelector(".run-counter b")?.textContent) >= ${step}`);
}

/** Waits until the page has reloaded itself into isolation and shows itself. */
export async function isolated(page: Page): Promise<void> {
  await page.waitForFunction(`crossOriginIsolated && document.querySelector("#root > *") !== null`);
}
