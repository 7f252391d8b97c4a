/**
 * What a run needs before it starts: memory by part (run-memory.ts), the update's plan and micro-batch, what to change where
 * it does not fit, and a step's time from measured speeds. It opens nothing.
 */
import type { GrpoConfig } from "../domain/grpo/config.ts";
import type { MeasuredSpeed, PlanChange, RunPlan, WeightStorage } from "../domain/run/memory-plan.ts";
import { COARSE } from "./model-policy/pack-update.ts";
import { choosePlan } from "./model-policy/plan-choice.ts";
import {
  BYTES_PER_VALUE,
  chunkRowsOf,
  type PlannedEngine,
  runMemory,
  type RunMemoryRequest,
} from "./run-memory.ts";

export interface PlanRequest extends RunMemoryRequest {
  /** Those that a person can choose, from the largest to the smallest. */
  readonly offered: readonly WeightStorage[];
  /** The GPU's largest binding; null without a GPU. */
  readonly maxBindingBytes: number | null;
}

/** Bytes that an engine's memory holds. The kernels address 2 GiB, another WASM heap 4; a little is lost between blocks. */
const ROOM: Readonly<Record<PlannedEngine, number>> = {
  kernels: 1.9 * 2 ** 30,
  wasm: 3.6 * 2 ** 30,
  /** No browser tells how much memory a GPU has: what a usual one of a laptop lends a page. */
  webgpu: 6 * 2 ** 30,
};

/** The plan for these settings, with the largest micro-batch up to the asked one that fits. */
export function planRun(request: PlanRequest): RunPlan {
  const { grpo, engine, config } = request;
  const all = grpo.num_generations * grpo.prompts_per_step;
  let microBatch = Math.min(all, grpo.micro_batch_size ?? all);
  while (microBatch > 1 && limitOf(request, microBatch) !== null) microBatch = Math.ceil(microBatch / 2);
  const { parts } = runMemory(request, microBatch);
  const limit = limitOf(request, microBatch);
  return {
    engine,
    storage: request.storage,
    parts,
    gpuBytes: parts.reduce((sum, part) => sum + part.gpuBytes, 0),
    cpuBytes: parts.reduce((sum, part) => sum + part.cpuBytes, 0),
    update: request.plan ?? choosePlan(config),
    microBatch,
    chunkRows: chunkRowsOf(request) ?? null,
    fits: limit === null,
    limit,
    changes: changesOf(request, microBatch),
  };
}

/** What a run with gradient passes of so many completions exceeds; null where it fits. */
function limitOf(request: PlanRequest, microBatch: number): RunPlan["limit"] {
  const { engine, maxBindingBytes } = request;
  const { engineBytes, largestBytes } = runMemory(request, microBatch);
  if (engine === "webgpu" && largestBytes > (maxBindingBytes ?? Infinity)) return "binding";
  if (engineBytes <= ROOM[engine]) return null;
  return engine === "webgpu" ? "device-memory" : "wasm-heap";
}

/** Rows of one gradient pass as pack-update.ts lays them out, for one prompt. */
export function packedRows(promptTokens: number, completions: number, tokens: number): number {
  const round = (n: number, multiple: number): number => Math.ceil(n / multiple) * multiple;
  const rows = round(completions * (tokens - 1) + 1, COARSE.completionRows);
  return rows + round(promptTokens, COARSE.promptSlots);
}

/** Milliseconds of one step of every arm, if every completion is as long as it may be. */
export function forecastStepMs(
  { grpo, arms, promptTokens }: Pick<PlanRequest, "grpo" | "arms" | "promptTokens">,
  { decodeTokenMs, decodeRowMs, updateRowMs }: MeasuredSpeed,
  microBatch: number,
): number {
  const { prompts_per_step: P, num_generations: G, max_completion_length: T } = grpo;
  const sampling = P * T * (decodeTokenMs + G * decodeRowMs);
  const perPass = Math.min(microBatch, G); // completions of one prompt in one pass
  const rows = ((P * G) / perPass) * packedRows(promptTokens, perPass, T);
  const passes = grpo.num_iterations + (grpo.beta > 0 ? 1 / 3 : 0); // a reference pass has no backward
  return arms * (sampling + passes * rows * updateRowMs);
}

/** Halved settings and fewer bits, by what each saves alone. */
function changesOf(request: PlanRequest, microBatch: number): readonly PlanChange[] {
  const { grpo, storage } = request;
  const bytes = (size: PlanRequest, passes = microBatch): number =>
    runMemory(size, passes).parts.reduce((sum, part) => sum + part.gpuBytes + part.cpuBytes, 0);
  const now = bytes(request);
  const half = (value: number): number => Math.ceil(value / 2);
  const withGrpo = (change: Partial<GrpoConfig>): number =>
    bytes({ ...request, grpo: { ...grpo, ...change } });
  const fewerBits =
    request.offered.find((other) => BYTES_PER_VALUE[other] < BYTES_PER_VALUE[storage]) ?? null;
  const length = half(grpo.max_completion_length);
  const group = Math.max(2, half(grpo.num_generations));
  const rank = half(grpo.lora.r);
  const tried: (PlanChange | null)[] = [
    fewerBits && {
      setting: "storage",
      to: fewerBits,
      savesBytes: now - bytes({ ...request, storage: fewerBits }),
    },
    {
      setting: "micro_batch_size",
      to: half(microBatch),
      savesBytes: now - bytes(request, half(microBatch)),
    },
    {
      setting: "max_completion_length",
      to: length,
      savesBytes: now - withGrpo({ max_completion_length: length }),
    },
    { setting: "num_generations", to: group, savesBytes: now - withGrpo({ num_generations: group }) },
    { setting: "r", to: rank, savesBytes: now - withGrpo({ lora: { ...grpo.lora, r: rank } }) },
  ];
  return tried
    .filter((change) => change !== null)
    .filter(({ savesBytes }) => savesBytes > 0)
    .sort((a, b) => b.savesBytes - a.savesBytes);
}
