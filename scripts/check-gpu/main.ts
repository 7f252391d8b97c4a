/**
 * `npm run check:gpu`: what only a machine with a GPU can show, in headless Chromium. Progress lines, then one line of
 * JSON; the exit code is 1 when something is off, in a plain sentence. `-- --software` runs a reduced form on the software
 * adapter, where lift and speed say nothing and are not judged.
 */
import { parseArgs } from "node:util";
import { messageOf } from "../../src/engine/runtime/ort.ts";
import type { RemoteCheck } from "./browser.ts";
import { openCheckPages } from "./browser.ts";
import type { Amount } from "./engines-check.ts";
import type { RunSize } from "./run-check.ts";
import { faultsOf, type Findings } from "./verdict.ts";

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

const startedAt = performance.now();
const seconds = (): number => Math.round((performance.now() - startedAt) / 100) / 10;
const say = (line: string): void =>
  void process.stdout.write(`${seconds().toFixed(1).padStart(7)} s  ${line}\n`);

/** Short enough to read, exact enough to compare. */
const brief = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === "number" && !Number.isInteger(each) ? Number(each.toPrecision(4)) : each,
  );

async function enginesOf(
  check: RemoteCheck,
  size: Size,
): Promise<Pick<Findings, "engines" | "sampler" | "speed" | "tensorsLeft">> {
  await check.openEngines(null);
  const engines = await check.compare(size.compare);
  say(`WebGPU beside WASM, relative: ${brief(engines)}`);
  const sampler = await check.sampler(size.draws);
  for (const each of sampler) say(`sampler ${brief(each)}`);
  const speed = await check.speed(size.speed);
  say(`speed: ${brief(speed)}`);
  const { webgpuTensorsLeft } = await check.closeEngines(null);
  return { engines, sampler, speed, tensorsLeft: webgpuTensorsLeft };
}

async function runOf(check: RemoteCheck, size: Size): Promise<Pick<Findings, "run" | "memory">> {
  const { steps, engine } = await check.openRun(size.run);
  say(`training ${steps} steps: ${engine}`);
  const stepSeconds: number[] = [];
  let early = await check.memory(null);
  for (let i = 1; i <= steps; i++) {
    const step = await check.runStep(null);
    stepSeconds.push(step.seconds);
    if (i <= 20) early = await check.memory(null);
    if (i === 1 || i === steps || i % 5 === 0) say(`step ${brief(step)}`);
  }
  const arms = await check.runResult(null);
  const late = await check.memory(null);
  await check.closeRun(null);
  say(`held-out scores: ${brief(arms)}`);
  say(`GPU buffers: ${brief({ early, late })}`);
  const median = [...stepSeconds].sort((a, b) => a - b)[Math.floor(stepSeconds.length / 2)] ?? NaN;
  return { run: { steps, engine, medianStepSeconds: median, arms }, memory: { early, late } };
}

async function findingsOf(software: boolean): Promise<Findings | string> {
  const size = software ? REDUCED : FULL;
  const pages = await openCheckPages(software);
  try {
    const first = await pages.open();
    const adapter = await first.adapter(null).catch(messageOf);
    if (typeof adapter === "string") return `There is no GPU adapter in this browser: ${adapter}`;
    const { report, limits } = adapter;
    say(`adapter: ${report.description}${report.software ? " (software)" : ""}`);
    say(`limits: ${brief(limits)}`);
    if (report.software && !software) {
      return `There is no GPU here: the only adapter is software (${report.description}). The reduced form runs on it: npm run check:gpu -- --software`;
    }
    const placement = await first.placement(null);
    say(
      `placement: ${placement.nodes} nodes of ${placement.graphs} graphs, ${placement.elsewhere.length} beside the GPU`,
    );
    const engines = await enginesOf(await pages.open(), size);
    const run = await runOf(await pages.open(), size);
    return { software, adapter: report, limits, placement, ...engines, ...run, seconds: seconds() };
  } finally {
    await pages.close();
  }
}

const { values } = parseArgs({ options: { software: { type: "boolean", default: false } } });
const findings = await findingsOf(values.software).catch(messageOf);
const faults = typeof findings === "string" ? [findings] : faultsOf(findings);
for (const fault of faults) process.stdout.write(`FAULT: ${fault}\n`);
const body = typeof findings === "string" ? {} : findings;
process.stdout.write(`${brief({ check: "gpu", ok: faults.length === 0, faults, ...body })}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
