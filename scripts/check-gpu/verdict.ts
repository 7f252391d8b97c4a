/** What the GPU check found, and what of it is off, in sentences. Pure. */
import type { GpuReport } from "../../src/engine/runtime/device.ts";
import type { EnginesResult, SpeedResult } from "./engines-check.ts";
import type { PlacementResult } from "./placement-check.ts";
import type { ArmResult } from "./run-check.ts";
import type { SamplerResult } from "./sampler-check.ts";

interface Memory {
  readonly count: number;
  readonly bytes: number;
  readonly peakBytes: number;
}

export interface Findings {
  /** The reduced form. */
  readonly software: boolean;
  readonly adapter: GpuReport;
  readonly limits: Readonly<Record<string, number>>;
  readonly placement: PlacementResult;
  readonly engines: EnginesResult;
  readonly sampler: readonly SamplerResult[];
  readonly speed: SpeedResult;
  /** Device tensors alive after the policy ended. */
  readonly tensorsLeft: number;
  readonly run: {
    readonly steps: number;
    readonly engine: string;
    readonly medianStepSeconds: number;
    readonly arms: readonly ArmResult[];
  };
  /** GPU buffers at step 20 (or the last before), and after the last step. */
  readonly memory: { readonly early: Memory; readonly late: Memory };
  readonly seconds: number;
}

/** Largest distance from WASM that passes. */
const MOST = { logits: 1e-4, logProbs: 1e-3, gradient: 1e-3, loss: 1e-3 } as const;
/** Smallest gain in held-out score of the default run (recorded runs gain .03 to .08). */
const LEAST_LIFT = 0.01;
/** GPU memory may not grow while the same steps are repeated. */
const MOST_GROWTH = 1.05;

/** Empty when all is well. */
export function faultsOf(found: Findings): string[] {
  return [
    ...found.placement.elsewhere.map((where) => `A node runs beside the GPU: ${where}.`),
    ...enginesFaults(found.engines),
    ...found.sampler.flatMap(samplerFaults),
    ...(found.tensorsLeft === 0 ? [] : [`${found.tensorsLeft} device tensors outlived their policy.`]),
    ...runFaults(found),
  ];
}

function enginesFaults(engines: EnginesResult): string[] {
  const names = Object.keys(MOST) as (keyof typeof MOST)[];
  return names
    .filter((name) => !(engines[name] <= MOST[name]))
    .map((name) => `WebGPU's ${name} differ from WASM's by ${engines[name]}, more than ${MOST[name]}.`);
}

function samplerFaults({ chiSquare, limit, outside, ...settings }: SamplerResult): string[] {
  const where = JSON.stringify(settings);
  return [
    ...(chiSquare <= limit ? [] : [`The sampler's chi-square is ${chiSquare}, above ${limit}: ${where}.`]),
    ...(outside === 0 ? [] : [`The sampler drew ${outside} tokens that it should leave out: ${where}.`]),
  ];
}

function runFaults({ run, memory, software }: Findings): string[] {
  const faults: string[] = [];
  for (const { arm, start, end } of run.arms) {
    if (start === null || end === null) faults.push(`Arm ${arm} has no held-out score.`);
    else if (!software && !(end - start >= LEAST_LIFT))
      faults.push(`Arm ${arm} went from ${start} to ${end}, a lift below ${LEAST_LIFT}.`);
  }
  if (!run.engine.startsWith("webgpu")) faults.push(`The run was not on WebGPU but ${run.engine}.`);
  if (memory.late.bytes > MOST_GROWTH * memory.early.bytes)
    faults.push(`GPU memory grew from ${memory.early.bytes} to ${memory.late.bytes} bytes.`);
  return faults;
}
