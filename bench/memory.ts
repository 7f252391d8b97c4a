/**
 * Memory after many steps over memory after 20, recorded metrics left out (a run's rows grow by design): 1 = no growth.
 * - `memory-gpu`: bytes of GPU buffers alive in the worker, WebGPU on whatever adapter Chromium has, a tiny random model;
 * - `memory-js`: JS heap of the worker after a forced collection, the trainer rebuilt without its rows;
 * - `memory-page`: JS heap of the built site's page after a forced collection, a short run before the long one beside a short
 *   one after it: React keeps what it drew last, and with it the rows of one run;
 * - `memory`: the WASM heap.
 * 500 steps by default; `--steps N` sets another number. On the software adapter a step takes seconds, so there are a tenth
 * as many.
 */
import type { CDPSession, Page } from "playwright";
import { openBenchPages, launchBrowser, type BenchPages } from "./bench-page.ts";
import { control, isolated, pressTrain, serveBuiltSite, stepReached } from "./built-site.ts";
import { type Bench, type Figure, plainFigure } from "./figure.ts";
import { attachToWorker } from "./worker-inspector.ts";

const STEPS = 500;
const FIRST = 20;
const PROMPT = 16;
const TOKENS = 24;
/** What a run of the page is set to, so that a step is short. */
const SMALL = { num_generations: 8, max_completion_length: 24, evaluationSamples: 8, evaluateEvery: 50 };
const STEP_MS = 20_000;
const MB = 1e6;

export const memory: Bench = async ({ steps, print }) => {
  const last = Math.max(FIRST + 1, steps ?? STEPS);
  const grown = (name: string, unit: string, before: number, after: number): Figure => {
    print(`${name}: ${before.toFixed(3)} ${unit} after the first steps, ${after.toFixed(3)} at the end`);
    return plainFigure(name, "x", [after / before]);
  };
  const pages = await openBenchPages();
  try {
    const worker = await workerBytes(pages, last);
    const wasm = grown("memory", "MB", worker.wasmBefore, worker.wasmAfter);
    const js = grown("memory-js", "MB", worker.heapBefore, worker.heapAfter);
    const gpu = await gpuBytes(pages, Math.ceil(FIRST / 10), Math.ceil(last / 10));
    const buffers = grown("memory-gpu", "MB", gpu.before, gpu.after);
    const page = await pageBytes(last);
    return [buffers, js, grown("memory-page", "MB", page.before, page.after), wasm];
  } finally {
    await pages.close();
  }
};

/** Rollout and update, again and again, in GPU memory. */
async function gpuBytes(pages: BenchPages, first: number, last: number) {
  const engine = await pages.open("engine");
  await engine.open({ kind: "webgpu", threads: 1, random: { layers: 1, vocabSize: 64, hiddenSize: 64 } });
  await engine.prepareUpdate({ prompts: 1, group: 2, promptTokens: 4, completionTokens: 4 });
  const ask = { prompt: [3, 4, 5, 6], groupSize: 2, maxTokens: 4, temperature: 1, adapter: true };
  const after = async (from: number, to: number): Promise<number> => {
    for (let i = from; i < to; i++) {
      await engine.rollout(ask);
      await engine.update(null);
    }
    return (await engine.memory(null)).gpuBytes / MB;
  };
  const before = await after(0, first);
  return { before, after: await after(first, last) };
}

/** The trainer's own steps of the bundled model on WASM. */
async function workerBytes(pages: BenchPages, last: number) {
  const engine = await pages.open("engine");
  const inspector = await attachToWorker(pages.pageOf(engine));
  await engine.open({ kind: "wasm", threads: 1, random: null });
  const { content } = await engine.prompt(PROMPT);
  await engine.prepareSteps({ content, completionTokens: TOKENS });
  const measure = async (count: number) => {
    await engine.steps(count);
    await engine.forgetRows(null);
    const heap = (await inspector.heapBytes()) / MB;
    return { heap, wasm: (await engine.memory(null)).wasmBytes / MB };
  };
  const early = await measure(FIRST);
  const late = await measure(last - FIRST);
  return { heapBefore: early.heap, heapAfter: late.heap, wasmBefore: early.wasm, wasmAfter: late.wasm };
}

/** A short run, a long one and a short one again, on the built site; each is reset before the heap is read. */
async function pageBytes(last: number) {
  const site = await serveBuiltSite();
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 1040 } });
    page.setDefaultTimeout(last * STEP_MS);
    await page.goto(site.url);
    await isolated(page);
    const session = await page.context().newCDPSession(page);
    const before = await pageHeapAfter(page, session, FIRST);
    await pageHeapAfter(page, session, last);
    return { before, after: await pageHeapAfter(page, session, FIRST + 1) }; // the same settings would not be a fresh run
  } finally {
    await browser.close();
    await site.close();
  }
}

async function pageHeapAfter(page: Page, session: CDPSession, steps: number): Promise<number> {
  await setUp(page, { ...SMALL, max_steps: steps });
  await pressTrain(page);
  await stepReached(page, steps);
  await control(page, "Start over").waitFor();
  await control(page, "Reset").click();
  await control(page, "Train").and(page.locator(":enabled")).waitFor(); // a fresh run: the old one's rows are gone
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return usedSize / MB;
}

/** Types settings into the set-up sheet and starts a fresh run with them. */
async function setUp(page: Page, settings: Readonly<Record<string, number>>): Promise<void> {
  await control(page, "Step").and(page.locator(":enabled")).or(control(page, "Start over")).first().waitFor();
  await page.getByRole("button", { name: "Set-up", exact: true }).click();
  const sheet = page.getByRole("dialog", { name: "Set-up" });
  await sheet.getByText("All settings").click();
  for (const [name, value] of Object.entries(settings)) {
    const field = sheet.locator("label", { has: page.locator(`code:text-is("${name}")`) });
    await field.getByRole("textbox").fill(String(value));
  }
  await sheet.getByRole("button", { name: "start a fresh run" }).click();
  await sheet.waitFor({ state: "detached" });
  await control(page, "Train").and(page.locator(":enabled")).waitFor();
}
