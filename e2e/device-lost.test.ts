/** A graphics chip that goes away in the middle of a run: the page says so, and the run goes on from its last checkpoint. */
import { join } from "node:path";
import type { Browser, Worker } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchChromium } from "./chromium.ts";
import { ofKind, Playground } from "./playground.ts";
import { serveFolder, type StaticHost } from "./static-server.ts";

const DIST = join(import.meta.dirname, "..", "dist");
/** The software adapter takes seconds a step, and longer for the first one of each kind. */
const TEST_MS = 480_000;
const STEPS = 3;
const SETTINGS = {
  num_generations: 4,
  prompts_per_step: 1,
  max_completion_length: 4,
  evaluationSamples: 4,
  evaluateEvery: STEPS,
  save_steps: 1,
};

let host: StaticHost;
let browser: Browser;
beforeAll(async () => {
  host = await serveFolder(process.env["SITE"] ?? DIST, "/site/");
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  await host.close();
});

/** Keeps the device that is opened next where `loseDevice` finds it. */
async function watchDevice(worker: Worker): Promise<void> {
  await worker.evaluate(() => {
    const { requestDevice } = GPUAdapter.prototype as {
      requestDevice: (this: GPUAdapter, descriptor?: GPUDeviceDescriptor) => Promise<GPUDevice>;
    };
    GPUAdapter.prototype.requestDevice = async function (descriptor) {
      const device = await requestDevice.call(this, descriptor);
      Object.assign(globalThis, { opened: device });
      return device;
    };
  });
}

const loseDevice = (worker: Worker): Promise<void> =>
  worker.evaluate(() => {
    (globalThis as unknown as { readonly opened: GPUDevice }).opened.destroy();
  });

/** The worker that trains: the one that knows of a graphics chip and was there first. */
async function trainingWorker({ page }: Playground): Promise<Worker> {
  await expect.poll(() => page.workers().length).toBeGreaterThan(0);
  const [first] = page.workers();
  if (first === undefined) throw new Error("expected a worker");
  return first;
}

test(
  "is said, and the run goes on from its last checkpoint",
  async () => {
    const play = new Playground(await browser.newPage());
    play.page.setDefaultTimeout(TEST_MS);
    await play.open(host.url);
    await play.setUp(STEPS, SETTINGS);
    const worker = await trainingWorker(play);
    await watchDevice(worker);
    const sheet = await play.openSetUp();
    await sheet.getByRole("radio", { name: /^WebGPU/ }).check();
    await sheet.getByRole("button", { name: "start a fresh run" }).click();
    await play.page.locator(".model-chip", { hasText: "WebGPU" }).waitFor();
    await play.control("Train").and(play.page.locator(":enabled")).waitFor();
    await play.start("Train");
    await play.stepReached(1, TEST_MS);
    await loseDevice(worker);
    await play.fault.filter({ hasText: "The graphics chip went away" }).waitFor();
    const stood = await play.step();
    expect(stood).toBeLessThan(STEPS);
    await play.fault.getByRole("button", { name: "Load the model again" }).click();
    const told = play.page.locator(".notice").filter({ hasText: `The run goes on from step ${stood}` });
    await told.waitFor();
    await play.finish("Go on", TEST_MS);
    const steps = ofKind(await play.rows(), "step");
    const arms = new Set(steps.map((row) => row["arm"]));
    for (const arm of arms) {
      const own = steps.filter((row) => row["arm"] === arm).map((row) => row["step"]);
      expect(own).toEqual([1, 2, 3]); // none is missing, and none stands twice
    }
    expect(await play.page.locator(".model-chip").textContent()).toContain("WebGPU");
  },
  TEST_MS,
);
