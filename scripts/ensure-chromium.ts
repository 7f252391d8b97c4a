/**
 * Before the tests: finds a Chromium or tries to install one, with Playwright and then, as root on Debian or Ubuntu,
 * with apt. Without one it says how to get it; the browser tests are then skipped, and under CI that is a failure.
 */
import { spawnSync } from "node:child_process";
import { env, exit, getuid, stdout } from "node:process";
import { findChromium, HOW_TO_GET_CHROMIUM } from "./chromium.ts";

const INSTALL_TIMEOUT_MS = 300_000;

function attempt(command: string, ...args: readonly string[]): boolean {
  stdout.write(`No Chromium found, trying: ${[command, ...args].join(" ")}\n`);
  return spawnSync(command, args, { stdio: "inherit", timeout: INSTALL_TIMEOUT_MS }).status === 0;
}

async function installChromium(): Promise<string | null> {
  attempt("npx", "playwright", "install", "chromium");
  const installed = await findChromium();
  if (installed !== null || getuid?.() !== 0) return installed;
  if (attempt("apt-get", "update")) {
    attempt("apt-get", "install", "--yes", "--no-install-recommends", "chromium");
  }
  return findChromium();
}

const path = (await findChromium()) ?? (await installChromium());
if (path === null) {
  stdout.write(`No Chromium: browser and e2e tests cannot run. ${HOW_TO_GET_CHROMIUM}\n`);
  if (env["CI"] === "true") exit(1);
} else {
  stdout.write(`Chromium: ${path}\n`);
}
