/** A Chromium for the browser specs, and a record of every request of its pages, workers and service workers. */
import { chromium, type Browser, type BrowserContext } from "playwright";
import { CHROMIUM_FLAGS, findChromium, HOW_TO_GET_CHROMIUM } from "../scripts/chromium.ts";

export async function launchChromium(): Promise<Browser> {
  const executablePath = await findChromium();
  if (executablePath === null) throw new Error(`no Chromium. ${HOW_TO_GET_CHROMIUM}`);
  return chromium.launch({ executablePath, args: [...CHROMIUM_FLAGS] });
}

export interface PageRecord {
  /** Every address asked for, in order; data: and blob: addresses are not requests to anybody and are left out. */
  readonly requests: readonly string[];
  /** Uncaught errors and console errors of the pages. */
  readonly errors: readonly string[];
  /** Requests that went to another origin than `origin`. */
  foreign(origin: string): readonly string[];
}

/** Starts recording; call it before the first page of the context is opened. */
export function recordContext(context: BrowserContext): PageRecord {
  const requests: string[] = [];
  const errors: string[] = [];
  context.on("request", (request) => {
    if (!/^(data|blob):/.test(request.url())) requests.push(request.url());
  });
  context.on("weberror", (event) => errors.push(event.error().message));
  context.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  return {
    requests,
    errors,
    foreign: (origin) => requests.filter((url) => new URL(url).origin !== origin),
  };
}
