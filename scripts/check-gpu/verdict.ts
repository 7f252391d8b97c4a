/** What the GPU check found, and what of it is off, in sentences. Pure. */
import type { GpuReport } from "../../src/engine/runtime/device.ts";
import type { EnginesResult, GroupResult, SpeedResult, StepResult } from "./engines-check.ts";
import type { PlacementResult } from "./placement-check.ts";
import type { ProcessPeaks } from "./browser.ts";
import type { ArmResult, RunCheck } from "./run-check.ts";
import type { SamplerResult } from "./sampler-check.ts";

interface Memory {
  readonly count: number;
  readonly bytes: number;
  readonly peakBytes: number;
}

export interface RunFindings {
  readonly run: {
    readonly steps: number;
    readonly engine: string;
    readonly medianStepSeconds: number;
    readonly arms: readonly ArmResult[];
  };
  /** GPU buffers at step 20, or half the way of a shorter run, and after the last step. */
  readonly memory: { readonly early: Memory; readonly late: Memory };
}

/** What the bundled model gave. */
export interface BundledFindings extends RunFindings {
  readonly placement: PlacementResult;
  readonly engines: EnginesResult;
  readonly sampler: readonly SamplerResult[];
  readonly speed: SpeedResult;
  /** Device tensors alive after the policy ended. */
  readonly tensorsLeft: number;
}

/** What a larger model gave, held in blocks of 8 bits. */
export interface ModelFindings extends RunFindings {
  readonly name: string;
  readonly model: RunCheck["model"];
  readonly step: StepResult;
  /** null where it was left out. */
  readonly group: GroupResult | null;
  readonly speed: SpeedResult | null;
  readonly tensorsLeft: number;
  /** After the run, before WASM held the model too; null where the system does not tell. */
  readonly processes: ProcessPeaks | null;
}

export interface Findings {
  /** The reduced form. */
  readonly software: boolean;
  readonly adapter: GpuReport;
  readonly limits: Readonly<Record<string, number>>;
  /** null where it was left out. */
  readonly bundled: BundledFindings | null;
  readonly models: readonly ModelFindings[];
  readonly seconds: number;
}

/** Largest distance from WASM that passes. */
const MOST = {
  logits: 1e-4,
  stepLogits: 1e-4,
  layerGradient: 1e-3,
  logProbs: 1e-3,
  gradient: 1e-3,
  loss: 1e-3,
} as const;
/** The same for blocks of 8 bits over many layers. */
const MOST_OF_BLOCKS = { ...MOST, logits: 1e-3, stepLogits: 1e-3 } as const;
/** Smallest gain in held-out score of the default run (recorded runs gain .03 to .08). */
const LEAST_LIFT = 0.01;
/** GPU memory may not grow while the same steps are repeated. */
const MOST_GROWTH = 1.05;

/** Empty when all is well. */
export function faultsOf({ bundled, models, software }: Findings): string[] {
  return [
    ...(bundled === null ? [] : bundledFaults(bundled, software)),
    ...models.flatMap((found) => modelFaults(found).map((fault) => `${found.name}: ${fault}`)),
  ];
}

function bundledFaults(found: BundledFindings, software: boolean): string[] {
  return [
    ...found.placement.elsewhere.map((where) => `A node runs beside the GPU: ${where}.`),
    ...enginesFaults(found.engines, MOST),
    ...found.sampler.flatMap(samplerFaults),
    ...leftFaults(found.tensorsLeft),
    ...runFaults(found),
    ...(software ? [] : found.run.arms.flatMap(liftFaults)),
  ];
}

function modelFaults(found: ModelFindings): string[] {
  return [
    ...enginesFaults({ ...found.step, ...found.group }, MOST_OF_BLOCKS),
    ...leftFaults(found.tensorsLeft),
    ...runFaults(found),
  ];
}

function leftFaults(tensorsLeft: number): string[] {
  return tensorsLeft === 0 ? [] : [`${tensorsLeft} device tensors outlived their policy.`];
}

function enginesFaults(engines: Partial<EnginesResult>, most: Record<keyof EnginesResult, number>): string[] {
  return (Object.keys(engines) as (keyof EnginesResult)[])
    .filter((name) => !((engines[name] ?? NaN) <= most[name]))
    .map((name) => `WebGPU's ${name} differ from WASM's by ${engines[name]}, more than ${most[name]}.`);
}

function samplerFaults({ chiSquare, limit, outside, ...settings }: SamplerResult): string[] {
  const where = JSON.stringify(settings);
  return [
    ...(chiSquare <= limit ? [] : [`The sampler's chi-square is ${chiSquare}, above ${limit}: ${where}.`]),
    ...(outside === 0 ? [] : [`The sampler drew ${outside} tokens that it should leave out: ${where}.`]),
  ];
}

function runFaults({ run, memory }: RunFindings): string[] {
  const faults = run.arms
    .filter(({ start, end }) => start === null || end === null)
    .map(({ arm }) => `Arm ${arm} has no held-out score.`);
  if (!run.engine.startsWith("webgpu")) faults.push(`The run was not on WebGPU but ${run.engine}.`);
  if (memory.late.bytes > MOST_GROWTH * memory.early.bytes)
    faults.push(`GPU memory grew from ${memory.early.bytes} to ${memory.late.bytes} bytes.`);
  return faults;
}

function liftFaults({ arm, start, end }: ArmResult): string[] {
  if (start === null || end === null || end - start >= LEAST_LIFT) return [];
  return [`Arm ${arm} went from ${start} to ${end}, a lift below ${LEAST_LIFT}.`];
}
