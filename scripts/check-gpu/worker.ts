/** The browser's side of the GPU check: everything is computed and measured here; main.ts only asks, prints and judges. */
import { scenarios } from "../../src/domain/scenarios/registry.ts";
import { BUNDLED_MODEL } from "../../src/app/worker/bundled-model.ts";
import { openGpu, type GpuReport } from "../../src/engine/runtime/device.ts";
import type { Engine } from "../../src/engine/runtime/engine.ts";
import { openKernelEngine } from "../../src/engine/kernels/kernels-browser.ts";
import { openBrowserEngine } from "../../src/engine/runtime/ort-browser.ts";
import { createTextCodec } from "../../src/engine/text/tokenizer.ts";
import { loadModel } from "../../src/engine/weights/load-model.ts";
import { createHubSource } from "../../src/engine/weights/hub-source.ts";
import type { ModelSource } from "../../src/engine/weights/model-source.ts";
import { createUrlSource } from "../../src/engine/weights/url-source.ts";
import { countGpuBuffers } from "../../src/testing/counted-gpu.ts";
import { type Amount, type EnginesCheck, openEnginesCheck } from "./engines-check.ts";
import { checkPlacement } from "./placement-check.ts";
import { openRunCheck, type RunCheck, type RunSize } from "./run-check.ts";
import { checkSampler } from "./sampler-check.ts";

/** A model of the check's hub; null = the bundled one. */
export type WhichModel = { readonly id: string; readonly endpoint: string } | null;

/** How models of the hub are held: as the page offers them first. */
const STORAGE = "q8" as const;

/** null where there is no WebGPU, which the check then says. */
const buffers = "GPUDevice" in globalThis ? countGpuBuffers() : null;
let peakBytes = 0;
const sourceOf = (which: WhichModel): ModelSource =>
  which === null
    ? createUrlSource(BUNDLED_MODEL, `${location.origin}/models/${BUNDLED_MODEL}/`)
    : createHubSource({
        repo: which.id,
        revision: "main",
        endpoint: which.endpoint,
        token: null,
        file: null,
      });
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

async function openEngines(which: WhichModel): Promise<null> {
  const model = await loadModel(sourceOf(which), undefined, undefined, which === null ? "f32" : STORAGE);
  const codec = await createTextCodec(model.tokenizerFiles, model.endTokenIds);
  const messages = scenarios["customer-reply"].heldOutPrompts[0]?.messages ?? [];
  gpu = await openBrowserEngine("webgpu");
  // what computes such a model where there is no GPU
  const wasm = which === null ? await openBrowserEngine("wasm", { threads: 1 }) : await openKernelEngine();
  engines = openEnginesCheck(model, codec.encodePrompt(messages), { webgpu: gpu, wasm });
  return null;
}

const check = {
  adapter,
  placement: checkPlacement,
  openEngines,
  compareStep: () => need(engines, "openEngines").compareStep(),
  compareGroup: (amount: Amount) => need(engines, "openEngines").compareGroup(amount),
  speed: (amount: Amount & { readonly tries: number }) => need(engines, "openEngines").speed(amount),
  sampler: (draws: number) => checkSampler(need(gpu, "openEngines"), draws),
  closeEngines: async () => {
    const left = await need(engines, "openEngines").close();
    await need(gpu, "openEngines").dispose();
    return left;
  },
  openRun: async ({ which, size }: { readonly which: WhichModel; readonly size: RunSize }) => {
    const use = which === null ? null : { storage: STORAGE, thinking: false };
    run = await openRunCheck(sourceOf(which), size, use);
    return { steps: run.steps, engine: run.engine, model: run.model };
  },
  runStep: () => need(run, "openRun").step(),
  runResult: () => Promise.resolve(need(run, "openRun").result()),
  closeRun: async () => {
    await need(run, "openRun").close();
    return null;
  },
  memory: () => {
    peakBytes = Math.max(peakBytes, buffers?.takePeak() ?? 0);
    return Promise.resolve({ count: buffers?.count() ?? 0, bytes: buffers?.held() ?? 0, peakBytes });
  },
};
/** Called from main.ts; arguments and results are plain JSON. */
export type GpuCheck = typeof check;

(globalThis as { check?: GpuCheck }).check = check;
