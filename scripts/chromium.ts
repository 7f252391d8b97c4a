/** The Chromium of the tests: where it is and with which flags it starts. Shared by the test settings and the browser specs. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { env } from "node:process";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** Headless and as root, and no calls home. */
export const QUIET_FLAGS: readonly string[] = [
  "--no-sandbox",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** WebGPU on the software adapter. */
export const SOFTWARE_GPU_FLAGS: readonly string[] = [
  "--enable-unsafe-webgpu",
  "--use-webgpu-adapter=swiftshader",
];

/** What every test starts with. */
export const CHROMIUM_FLAGS: readonly string[] = [...QUIET_FLAGS, ...SOFTWARE_GPU_FLAGS];

/** What a person can do when there is none. */
export const HOW_TO_GET_CHROMIUM =
  "Install one with `npx playwright install chromium` or `apt-get install chromium`, or set CHROMIUM to its path.";

/** Path of $CHROMIUM, else of the first on the PATH, else of Playwright's own; null where there is none. */
export async function findChromium(): Promise<string | null> {
  const named = env["CHROMIUM"];
  if (named !== undefined && named !== "") return named;
  const folders = (env["PATH"] ?? "").split(delimiter);
  const onPath = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
  if (onPath !== undefined) return onPath;
  const { chromium } = await import("playwright");
  const own = chromium.executablePath();
  return existsSync(own) ? own : null;
}
