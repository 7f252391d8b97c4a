/** The built site in a browser context of its own for each test of a file, at a desk's size, and closed after it. */
import { join } from "node:path";
import type { Browser, BrowserContext } from "playwright";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { launchChromium, recordContext, type PageRecord } from "./chromium.ts";
import { Playground } from "./playground.ts";
import { serveFolder, type StaticHost } from "./static-server.ts";

/** What `npm run build` wrote, or another folder of the repository by its name. */
const SITE = join(import.meta.dirname, "..", process.env["SITE"] ?? "dist");

export interface FreshPage {
  readonly play: Playground;
  readonly context: BrowserContext;
  readonly host: StaticHost;
  readonly record: PageRecord;
}

interface FreshOptions {
  /** False where the page need not get as far as a model before the test begins. */
  readonly model?: boolean;
}

/** Hands the page to the file's tests before each of them; call it once at the top of a file. */
export function onFreshPage(prepare: (fresh: FreshPage) => void, { model = true }: FreshOptions = {}): void {
  let host: StaticHost;
  let browser: Browser;
  let context: BrowserContext;
  beforeAll(async () => {
    host = await serveFolder(SITE, "/some/where/");
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser.close();
    await host.close();
  });
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1440, height: 1040 } });
    const record = recordContext(context);
    const play = new Playground(await context.newPage());
    await (model ? play.open(host.url) : play.visit(host.url));
    prepare({ play, context, host, record });
  });
  afterEach(() => context.close());
}
