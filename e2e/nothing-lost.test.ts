/**
 * What ends or stops a run from outside, provoked in a browser: each recovers from the last checkpoint or says what to do, and the
 * run ends with the numbers of one that nothing happened to.
 */
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, BrowserContext, CDPSession } from "playwright";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { launchChromium } from "./chromium.ts";
import { Playground, SMALL, withoutTimes, type ExportedRow } from "./playground.ts";
import { serveFolder, type Replacement, type StaticHost } from "./static-server.ts";

const DIST = join(import.meta.dirname, "..", "dist");
const TEST_MS = 240_000;
const STEPS = 14;
const SAVE_STEPS = 4;
const SETTINGS = { ...SMALL, evaluateEvery: 7, save_steps: SAVE_STEPS };

let host: StaticHost;
let browser: Browser;
let whole: readonly ExportedRow[];
const replaced = new Map<string, Replacement>();

interface Tab {
  readonly play: Playground;
  readonly context: BrowserContext;
  readonly devtools: CDPSession;
}

/** A page in a browser profile of its own that keeps its workers where a test can end them. */
async function fresh(use: (tab: Tab) => Promise<void>): Promise<void> {
  const context = await browser.newContext();
  await context.addInitScript(() => {
    const made: Worker[] = [];
    Object.assign(window, { made });
    window.Worker = class extends Worker {
      constructor(url: string | URL, options?: WorkerOptions) {
        super(url, options);
        made.push(this);
      }
    };
  });
  try {
    const page = await context.newPage();
    const play = new Playground(page);
    await play.open(host.url);
    await use({ play, context, devtools: await context.newCDPSession(page) });
  } finally {
    await context.close();
  }
}

beforeAll(async () => {
  host = await serveFolder(DIST, "/some/where/", replaced);
  browser = await launchChromium();
  await fresh(async ({ play }) => {
    await play.setUp(STEPS, SETTINGS);
    await play.finish("Train");
    whole = withoutTimes(await play.rows());
  });
}, TEST_MS);
afterAll(async () => {
  await browser.close();
  await host.close();
});
beforeEach(() => {
  replaced.clear();
});

async function trainTo(play: Playground, step: number): Promise<void> {
  await play.setUp(STEPS, SETTINGS);
  await play.start("Train");
  await play.stepReached(step);
}

const notice = (play: Playground, words: string | RegExp) =>
  play.page.locator(".notice").filter({ hasText: words });

/** Steps of the checkpoints in the tab's file system, all runs together. */
function keptSteps(play: Playground): Promise<number[]> {
  return play.page.evaluate(async () => {
    const steps: number[] = [];
    const runs = await (await navigator.storage.getDirectory()).getDirectoryHandle("runs", { create: true });
    for await (const run of runs.values())
      for await (const name of (run as FileSystemDirectoryHandle).keys())
        if (name.endsWith(".ckpt")) steps.push(Number.parseInt(name, 10));
    return steps.toSorted((a, b) => a - b);
  });
}

const button = (play: Playground, name: string) => play.page.getByRole("button", { name, exact: true });

test(
  "a worker that ends without a word is started again from the last checkpoint, and an earlier one can be opened",
  async () => {
    await fresh(async ({ play }) => {
      await trainTo(play, 2 * SAVE_STEPS + 1);
      await play.page.evaluate(() => {
        (window as unknown as { made: Worker[] }).made[0]?.terminate();
      });
      const told = notice(play, "had ended and was started again");
      await told.waitFor();
      const words = (await told.textContent()) ?? "";
      const step = await play.step();
      expect(words).toContain(`The run goes on from step ${step}.`);
      expect(step).toBeGreaterThanOrEqual(2 * SAVE_STEPS);
      const again = Number(/(\d+) steps? (?:is|are) taken again/.exec(words)?.[1] ?? 0);
      expect(again).toBeLessThanOrEqual(SAVE_STEPS);
      await play.finish("Go on");
      expect(withoutTimes(await play.rows())).toEqual(whole);

      await play.page.getByText("Files", { exact: true }).click();
      await button(play, "A saved run …").click();
      const sheet = play.page.getByRole("dialog", { name: "Saved runs" });
      await sheet.getByRole("listitem").waitFor();
      expect(await sheet.textContent()).toMatch(
        /step 14 of 14 · .* MB · 3 checkpoints · .*the run on this page/,
      );
      await sheet.getByText("Earlier checkpoints").click();
      await sheet.getByRole("button", { name: `Open at step ${2 * SAVE_STEPS}` }).click();
      await notice(play, `The run goes on from step ${2 * SAVE_STEPS}.`).waitFor();
      await play.finish("Go on");
      expect(withoutTimes(await play.rows())).toEqual(whole);
    });
  },
  TEST_MS,
);

test(
  "a tab that is hidden keeps a checkpoint, and one that was frozen goes on as if nothing had happened",
  async () => {
    await fresh(async ({ play, devtools }) => {
      await trainTo(play, 2);
      await play.page.evaluate(() => {
        Object.defineProperty(document, "visibilityState", { get: () => "hidden", configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      });
      await expect.poll(async () => (await keptSteps(play))[0], { timeout: 30_000 }).toBeLessThan(SAVE_STEPS);
      await devtools.send("Page.setWebLifecycleState", { state: "frozen" });
      await new Promise((resolve) => setTimeout(resolve, 1500));
      await devtools.send("Page.setWebLifecycleState", { state: "active" });
      await play.control("Start over").waitFor();
      expect(withoutTimes(await play.rows())).toEqual(whole);
    });
  },
  TEST_MS,
);

test(
  "memory that runs out in the middle of a step is said, costs that step alone, and the model can be loaded again",
  async () => {
    await fresh(async ({ play }) => {
      await trainTo(play, 3);
      const worker = play.page.workers().at(-1);
      await worker?.evaluate(() => {
        const real = Float32Array;
        const refuse = (): never => {
          globalThis.Float32Array = real; // once
          throw new RangeError("Array buffer allocation failed");
        };
        globalThis.Float32Array = new Proxy(real, { construct: refuse });
      });
      await play.fault.filter({ hasText: "Memory ran out in the middle of a step" }).waitFor();
      const stood = await play.step();
      await play.fault.getByRole("button", { name: "Load the model again" }).click();
      await notice(play, `The run goes on from step ${stood}. Nothing is lost.`).waitFor();
      await play.finish("Go on");
      expect(withoutTimes(await play.rows())).toEqual(whole);
    });
  },
  TEST_MS,
);

test(
  "a full storage is said and does not end the run; with room again, and after an eviction, it is kept anew",
  async () => {
    await fresh(async ({ play, devtools }) => {
      const { origin } = host;
      await play.setUp(STEPS, SETTINGS);
      await devtools.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1 });
      await play.start("Train");
      await play.fault.filter({ hasText: "share of the browser's storage is full" }).waitFor();
      await devtools.send("Storage.overrideQuotaForOrigin", { origin });
      await expect.poll(() => keptSteps(play), { timeout: 60_000 }).not.toEqual([]);
      await devtools.send("Storage.clearDataForOrigin", { origin, storageTypes: "file_systems" });
      await play.control("Start over").waitFor();
      expect(withoutTimes(await play.rows())).toEqual(whole);
      await expect.poll(async () => (await keptSteps(play)).at(-1), { timeout: 30_000 }).toBe(STEPS);
      await play.page.reload();
      expect(await play.offer.textContent()).toContain(`stands at step ${STEPS} of ${STEPS}`);
    });
  },
  TEST_MS,
);

test(
  "a second tab says that the run is open elsewhere",
  async () => {
    await fresh(async ({ play, context }) => {
      await trainTo(play, SAVE_STEPS);
      await play.pause();
      const other = new Playground(await context.newPage());
      await other.open(host.url);
      expect(await other.offer.textContent()).toContain("It is open in another tab");
      expect(await other.offer.getByRole("button", { name: "Go on with it" }).count()).toBe(0);
      await other.offer.getByRole("button", { name: "All saved runs" }).click();
      const sheet = other.page.getByRole("dialog", { name: "Saved runs" });
      await sheet.getByText("It is open in another tab").waitFor();
      expect(await sheet.getByRole("button", { name: "Go on with it" }).count()).toBe(0);
    });
  },
  TEST_MS,
);

test(
  "a step that comes apart names its tensor, and half the learning rate stays in the run's settings",
  async () => {
    await fresh(async ({ play }) => {
      await play.setUp(STEPS, { ...SETTINGS, divergence_grad_norm: 1e-6 });
      await play.start("Train").catch(() => undefined); // it may stop before the button is seen
      await play.fault.waitFor();
      expect(await play.fault.textContent()).toMatch(
        /stopped before that step.*diverged: step \d+, seed 1, arm "[\w-]+", gradient \(largest in layers\.\d+\.\w+_proj\.lora_[AB]\)/s,
      );
      const step = await play.step();
      await play.fault.getByRole("button", { name: "Go on with half the learning rate" }).click();
      await play.fault.waitFor();
      await play.page.getByText("Files", { exact: true }).click();
      const [download] = await Promise.all([
        play.page.waitForEvent("download"),
        button(play, "The run's settings (JSON)").click(),
      ]);
      const settings = JSON.parse(await readFile(await download.path(), "utf8")) as { spec: object };
      expect(settings.spec).toMatchObject({
        learningRateEdits: [{ seed: 1, fromStep: step + 1, factor: 0.5 }],
      });
    });
  },
  TEST_MS,
);

test(
  "a part of the page that cannot be loaded says so in its place, and the rest stays",
  async () => {
    const chunk = readdirSync(join(DIST, "assets")).find((file) => /^glossary-sheet-.*\.js$/.test(file));
    replaced.set(join("assets", chunk ?? "no such chunk"), null);
    await fresh(async ({ play }) => {
      await play.page.locator(".page-foot").getByRole("button").click();
      const told = play.page.getByRole("alert").filter({ hasText: "could not be loaded" });
      await told.waitFor();
      await told.getByRole("button", { name: "Close" }).click();
      await told.waitFor({ state: "detached" });
      expect(await play.control("Train").isEnabled()).toBe(true);
    });
  },
  TEST_MS,
);
