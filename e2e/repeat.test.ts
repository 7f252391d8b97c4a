/** The same seed gives the same numbers on WASM: in a browser that knows nothing of the first run, and over a reload. */
import { join } from "node:path";
import type { Browser, BrowserContext } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchChromium } from "./chromium.ts";
import { ofKind, Playground, SMALL, withoutTimes } from "./playground.ts";
import { serveFolder, type StaticHost } from "./static-server.ts";

const DIST = join(import.meta.dirname, "..", "dist");
const TEST_MS = 240_000;
/** A run is kept every five steps, when it is paused, and when its tab is hidden. */
const KEPT_AT = 10;

let host: StaticHost;
let browser: Browser;

beforeAll(async () => {
  host = await serveFolder(DIST, "/some/where/");
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  await host.close();
});

/** A page in a browser profile of its own, with nothing kept from before. */
async function fresh(use: (play: Playground, context: BrowserContext) => Promise<void>): Promise<void> {
  const context = await browser.newContext();
  try {
    const play = new Playground(await context.newPage());
    await play.open(host.url);
    await use(play, context);
  } finally {
    await context.close();
  }
}

test(
  "two fresh browsers train alike from one seed, and differently from another",
  async () => {
    const runs: unknown[] = [];
    for (const seed of [7, 7, 8]) {
      await fresh(async (play) => {
        await play.setUp(3, { seed, num_generations: 8, evaluationSamples: 8 });
        await play.finish("Train");
        const rows = withoutTimes(await play.rows());
        expect(ofKind(rows, "step")).toHaveLength(6);
        runs.push(rows);
      });
    }
    expect(runs[1]).toEqual(runs[0]);
    expect(runs[2]).not.toEqual(runs[0]);
  },
  TEST_MS,
);

test(
  "after a reload in the middle the page offers to go on, and ends as if nothing had happened",
  async () => {
    const steps = KEPT_AT + 8;
    let whole: unknown;
    await fresh(async (play) => {
      await play.setUp(steps, { ...SMALL, evaluateEvery: 5 });
      await play.finish("Train");
      const rows = await play.rows();
      expect(ofKind(rows, "step")).toHaveLength(2 * steps);
      whole = withoutTimes(rows);
    });
    await fresh(async (play, context) => {
      await play.setUp(steps, { ...SMALL, evaluateEvery: 5 });
      await play.start("Train");
      await play.stepReached(KEPT_AT + 1);
      await play.page.reload();
      const offered = (await play.offer.textContent()) ?? "";
      const stands = Number(/stands at step (\d+) of 18/.exec(offered)?.[1]);
      expect(stands).toBeGreaterThanOrEqual(KEPT_AT); // more where the page still had the time as it went
      // a run begun in the meantime, here or in another tab, takes nothing from the kept one
      const other = new Playground(await context.newPage());
      await other.open(host.url);
      await other.start("Train");
      await other.control("Pause").click(); // still scoring the base: at step 0
      await other.control("Train").waitFor();
      expect(await other.step()).toBe(0);
      await other.page.close();
      await play.page.reload();
      expect(await play.offer.textContent()).toContain(`stands at step ${stands} of ${steps}`);
      await play.offer.getByRole("button", { name: "Go on with it" }).click();
      await play.control("Go on").waitFor();
      expect(await play.step()).toBe(stands);
      await play.finish("Go on");
      expect(withoutTimes(await play.rows())).toEqual(whole);
      expect(context.pages()).toHaveLength(1);
    });
  },
  TEST_MS,
);
