/** The browser's side of the GPU check: everything is computed and measured here; main.ts only asks, prints and judges. */
import { scenarios } from "../../src/domain/scenarios/registry.ts";
import { BUNDLED_MODEL } from "../../src/app/worker/bundled-model.ts";
import { openGpu, type GpuReport } from "../../src/engine/runtime/device.ts";
import type { Engine } from "../../src/engine/runtime/engine.ts";
import { openBrowserEngine } from "../../src/engine/runtime/ort-browser.ts";
import { createTextCodec } from "../../src/engine/text/tokenizer.ts";
import { loadModel } from "../../src/engine/weights/load-model.ts";
import { createUrlSource } from "../../src/engine/weights/url-source.ts";
import { type Amount, type EnginesCheck, openEnginesCheck } from "./engines-check.ts";
import { countGpuBuffers } from "./gpu-buffers.ts";
import { checkPlacement } from "./placement-check.ts";
import { openRunCheck, type RunCheck, type RunSize } from "./run-check.ts";
import { checkSampler } from "./sampler-check.ts";

const buffers = countGpuBuffers();
const source = createUrlSource(BUNDLED_MODEL, `${location.origin}/models/${BUNDLED_MODEL}/`);
let gpu: Engine | null = null;
let engines: EnginesCheck | null = null;
let run: RunCheck | null = null;

function need<T>(value: T | null, what: string): T {
  if (value === null) throw new Error(`${what} first`);
  return value;
}

/** What the adapter is, and every limit of a device opened on it. */
async function adapter(): Promise<{ report: GpuReport; limits: Record<string, number> }> {
  const { device, report } = await openGpu();
  const limits: Record<string, number> = {};
  for (const name in device.limits) {
    const value = device.limits[name as keyof GPUSupportedLimits];
    if (typeof value === "number") limits[name] = value;
  }
  device.destroy();
  return { report, limits };
}

async function openEngines(): Promise<null> {
  const model = await loadModel(source);
  const codec = await createTextCodec(model.tokenizerFiles, model.endTokenIds);
  const messages = scenarios["customer-reply"].heldOutPrompts[0]?.messages ?? [];
  gpu = await openBrowserEngine("webgpu");
  const wasm = await openBrowserEngine("wasm", { threads: 1 });
  engines = openEnginesCheck(model, codec.encodePrompt(messages), { webgpu: gpu, wasm });
  return null;
}

const check = {
  adapter,
  placement: checkPlacement,
  openEngines,
  compare: (amount: Amount) => need(engines, "openEngines").compare(amount),
  speed: (amount: Amount & { readonly tries: number }) => need(engines, "openEngines").speed(amount),
  sampler: (draws: number) => checkSampler(need(gpu, "openEngines"), draws),
  closeEngines: async () => {
    const left = await need(engines, "openEngines").close();
    await need(gpu, "openEngines").dispose();
    return left;
  },
  openRun: async (size: RunSize) => {
    run = await openRunCheck(source, size);
    return { steps: run.steps, engine: run.engine };
  },
  runStep: () => need(run, "openRun").step(),
  runResult: () => Promise.resolve(need(run, "openRun").result()),
  closeRun: async () => {
    await need(run, "openRun").close();
    return null;
  },
  memory: () => Promise.resolve({ ...buffers.live(), peakBytes: buffers.peakBytes() }),
};
/** Called from main.ts; arguments and results are plain JSON. */
export type GpuCheck = typeof check;

(globalThis as { check?: GpuCheck }).check = check;
