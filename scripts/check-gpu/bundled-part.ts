/** The bundled model's part of the GPU check: where nodes run, the engines beside each other, and the page's own run. */
import type { CheckPage, CheckPages, RemoteCheck } from "./browser.ts";
import type { Amount } from "./engines-check.ts";
import { brief, say } from "./report.ts";
import type { RunSize } from "./run-check.ts";
import type { BundledFindings, RunFindings } from "./verdict.ts";
import type { WhichModel } from "./worker.ts";

interface Size {
  readonly draws: number;
  readonly compare: Amount;
  readonly speed: Amount & { readonly tries: number };
  readonly run: RunSize;
}

const FULL: Size = {
  draws: 51_200,
  compare: { group: 16, tokens: 48 },
  speed: { group: 16, tokens: 48, tries: 3 },
  run: { steps: null, group: null, tokens: null, samples: 256 },
};
const REDUCED: Size = {
  draws: 5_120,
  compare: { group: 2, tokens: 6 },
  speed: { group: 2, tokens: 4, tries: 1 },
  run: { steps: 1, group: 2, tokens: 4, samples: 2 },
};

/** With a page that is closed whatever happens. */
export async function onPage<T>(pages: CheckPages, work: (check: RemoteCheck) => Promise<T>): Promise<T> {
  const { check, close }: CheckPage = await pages.open();
  try {
    return await work(check);
  } finally {
    await close();
  }
}

export async function checkBundled(pages: CheckPages, software: boolean): Promise<BundledFindings> {
  const size = software ? REDUCED : FULL;
  const placement = await onPage(pages, (check) => check.placement(null));
  say(
    `placement: ${placement.nodes} nodes of ${placement.graphs} graphs, ${placement.elsewhere.length} beside the GPU`,
  );
  const engines = await onPage(pages, (check) => enginesOf(check, size));
  const run = await onPage(pages, async (check) => {
    const found = await runOf(check, { which: null, size: size.run });
    await check.closeRun(null);
    return found;
  });
  return { placement, ...engines, run: run.run, memory: run.memory };
}

async function enginesOf(
  check: RemoteCheck,
  size: Size,
): Promise<Pick<BundledFindings, "engines" | "sampler" | "speed" | "tensorsLeft">> {
  await check.openEngines(null);
  const engines = { ...(await check.compareStep(null)), ...(await check.compareGroup(size.compare)) };
  say(`WebGPU beside WASM, relative: ${brief(engines)}`);
  const sampler = await check.sampler(size.draws);
  for (const each of sampler) say(`sampler ${brief(each)}`);
  const speed = await check.speed(size.speed);
  say(`speed: ${brief(speed)}`);
  const { webgpuTensorsLeft } = await check.closeEngines(null);
  return { engines, sampler, speed, tensorsLeft: webgpuTensorsLeft };
}

interface TakenRun extends RunFindings {
  readonly model: Awaited<ReturnType<RemoteCheck["openRun"]>>["model"];
}

/** Loads a model and trains it; the run stays open. */
export async function runOf(
  check: RemoteCheck,
  given: { readonly which: WhichModel; readonly size: RunSize },
): Promise<TakenRun> {
  const { steps, engine, model } = await check.openRun(given);
  say(`training ${steps} steps: ${engine}, loaded after ${model.loadSeconds.toFixed(1)} s`);
  const stepSeconds: number[] = [];
  let early = await check.memory(null);
  for (let i = 1; i <= steps; i++) {
    const step = await check.runStep(null);
    stepSeconds.push(step.seconds);
    if (i <= Math.min(20, Math.ceil(steps / 2))) early = await check.memory(null);
    if (i === 1 || i === steps || i % 5 === 0) say(`step ${brief(step)}`);
  }
  const arms = await check.runResult(null);
  const late = await check.memory(null);
  say(`held-out scores: ${brief(arms)}`);
  say(`GPU buffers: ${brief({ early, late })}`);
  const median = [...stepSeconds].sort((a, b) => a - b)[Math.floor(stepSeconds.length / 2)] ?? NaN;
  return { run: { steps, engine, medianStepSeconds: median, arms }, memory: { early, late }, model };
}
