/**
 * What a run needs before it starts: memory by part on GPU and CPU, the update's plan and micro-batch, what to change where
 * it does not fit, and a step's time from measured speeds. It opens nothing: sizes are those of the model's shape and of the
 * very graphs that will run (update-memory.ts). Rollout and update take turns in the same memory, so an intermediate counts
 * with what it needs beyond the caches.
 */
import type { GrpoConfig } from "../domain/grpo/config.ts";
import type {
  MeasuredSpeed,
  MemoryPart,
  PlanChange,
  RunPlan,
  WeightStorage,
} from "../domain/run/memory-plan.ts";
import { loraLayout } from "../engine/nn/lora.ts";
import { type ModelConfig, weightSpecs } from "../engine/nn/model-config.ts";
import {
  LARGEST_BLOCK_TABLE_BYTES,
  LARGEST_TABLE_BYTES,
  tableChunkRows,
} from "../engine/nn/vocabulary-table.ts";
import { sizeOf } from "../engine/graph/tensor.ts";
import { COARSE } from "./model-policy/pack-update.ts";
import { cacheLengthFor } from "./model-policy/cache-length.ts";
import { choosePlan } from "./model-policy/plan-choice.ts";
import { MOST_POSITIONS } from "./room.ts";
import { updateMemory } from "./update-memory.ts";

type PlannedEngine = RunPlan["engine"];

export interface PlanRequest {
  readonly config: ModelConfig;
  readonly storage: WeightStorage;
  /** Those that a person can choose, from the largest to the smallest. */
  readonly offered: readonly WeightStorage[];
  readonly engine: PlannedEngine;
  readonly grpo: GrpoConfig;
  readonly arms: number;
  /** Tokens of the longest prompt. */
  readonly promptTokens: number;
  /** The GPU's largest binding; null without a GPU. */
  readonly maxBindingBytes: number | null;
}

/** A WASM heap addresses 4 GiB; what the runtime itself and fragmentation take is left out. */
const WASM_HEAP_BYTES = 3.6 * 2 ** 30;
/** No browser tells how much memory a GPU has; what a usual one of a laptop lends a page. */
const GPU_BYTES = 6 * 2 ** 30;
/** onnxruntime's module, its arenas and JavaScript's own heap. */
const RUNTIME_BYTES: Readonly<Record<PlannedEngine, number>> = { kernels: 40e6, wasm: 220e6, webgpu: 260e6 };
const FLOAT = 4;
/** Per value: the bits, and one float32 scale a block of 32. */
const BYTES_PER_VALUE: Readonly<Record<WeightStorage, number>> = { f32: 4, q8: 1 + 4 / 32, q4: 0.5 + 4 / 32 };
/**
 * Times that weights are held. Always once by the page, from which adapters are merged and engines opened anew. Floats: the
 * kernels keep them as they lie and packed for both directions; onnxruntime's WASM heap takes a session's file, its parsed form
 * and its packed one while it opens, beside the session before. Blocks: the kernels keep them once, and a run on onnxruntime is
 * fed a copy.
 */
const COPIES: Readonly<Record<PlannedEngine, Readonly<Record<"floats" | "blocks", number>>>> = {
  kernels: { floats: 4, blocks: 2 },
  wasm: { floats: 6, blocks: 2 },
  webgpu: { floats: 1, blocks: 1 },
};
/** Copies of the answers' caches: the kernels write in place, a Loop has what went in, what comes out, and hands it over. */
const CACHE_COPIES: Readonly<Record<PlannedEngine, number>> = { kernels: 1, wasm: 3, webgpu: 1 };

/** The plan for these settings, with the largest micro-batch up to the asked one that fits. */
export function planRun(request: PlanRequest): RunPlan {
  const { grpo, engine, config } = request;
  const all = grpo.num_generations * grpo.prompts_per_step;
  let microBatch = Math.min(all, grpo.micro_batch_size ?? all);
  while (microBatch > 1 && total(partsOf(request, microBatch)) > roomOf(engine)) {
    microBatch = Math.ceil(microBatch / 2);
  }
  const parts = partsOf(request, microBatch);
  const fits = total(parts) <= roomOf(engine);
  return {
    engine,
    storage: request.storage,
    parts,
    gpuBytes: parts.reduce((sum, part) => sum + part.gpuBytes, 0),
    cpuBytes: parts.reduce((sum, part) => sum + part.cpuBytes, 0),
    update: choosePlan(config),
    microBatch,
    chunkRows: chunkRowsOf(request) ?? null,
    fits,
    limit: fits ? null : engine === "webgpu" ? "device-memory" : "wasm-heap",
    changes: changesOf(request, microBatch),
  };
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

function partsOf(request: PlanRequest, microBatch: number): readonly MemoryPart[] {
  const { config, grpo, arms, engine } = request;
  const onGpu = engine === "webgpu";
  const adapter = loraLayout(config, grpo.lora).size * FLOAT;
  const device = (name: MemoryPart["name"], bytes: number): MemoryPart => ({
    name,
    gpuBytes: onGpu ? bytes : 0,
    cpuBytes: onGpu ? 0 : bytes,
  });
  const weights = weightBytes(config, request.storage);
  const copies = COPIES[engine][request.storage === "f32" ? "floats" : "blocks"];
  const cache = cacheBytes(request);
  const update = updateMemory({ ...request, chunkRows: chunkRowsOf(request), microBatch });
  const activations = Math.max(0, update.rowBytes + update.layerBytes - cache);
  const all = Math.max(cache, update.rowBytes + Math.max(update.layerBytes, update.topBytes));
  return [
    { name: "weights", gpuBytes: onGpu ? weights : 0, cpuBytes: weights * copies },
    device("kv-cache", cache),
    device("activations", activations),
    device("head", all - cache - activations),
    { name: "gradients", gpuBytes: onGpu ? adapter : 0, cpuBytes: adapter },
    { name: "adamw", gpuBytes: onGpu ? 3 * adapter : 0, cpuBytes: 3 * adapter * arms },
    { name: "runtime", gpuBytes: 0, cpuBytes: RUNTIME_BYTES[engine] },
  ];
}

/** Matrices as stored; norms and biases stay float32. */
export function weightBytes(config: ModelConfig, storage: WeightStorage): number {
  return weightSpecs(config).reduce(
    (sum, { shape }) => sum + sizeOf(shape) * (shape.length === 2 ? BYTES_PER_VALUE[storage] : FLOAT),
    0,
  );
}

/** Keys and values of G rows; the prompt's own cache beside them. */
function cacheBytes(request: PlanRequest): number {
  const { config, grpo, engine } = request;
  const { layers: L, kvHeads: Hkv, headDim: Dh } = config;
  const positions = cachePositions(request);
  return CACHE_COPIES[engine] * 2 * FLOAT * L * Hkv * Dh * positions * (grpo.num_generations + 1);
}

function cachePositions({ config, grpo, promptTokens, engine }: PlanRequest): number {
  const most = Math.min(config.maxPositions, MOST_POSITIONS);
  return cacheLengthFor(engine, promptTokens + grpo.max_completion_length, most);
}

/** Rows of one chunk of the tables; undefined where they are whole. */
function chunkRowsOf({ config, storage, maxBindingBytes }: PlanRequest): number | undefined {
  const largest = storage === "f32" ? LARGEST_TABLE_BYTES : LARGEST_BLOCK_TABLE_BYTES;
  return tableChunkRows(config, Math.min(largest, maxBindingBytes ?? largest));
}

const total = (parts: readonly MemoryPart[]): number =>
  parts.reduce((sum, part) => sum + Math.max(part.gpuBytes, part.cpuBytes), 0);

const roomOf = (engine: PlannedEngine): number => (engine === "webgpu" ? GPU_BYTES : WASM_HEAP_BYTES);

/** Halved settings and fewer bits, by what each saves alone. */
function changesOf(request: PlanRequest, microBatch: number): readonly PlanChange[] {
  const { grpo, storage } = request;
  const now = total(partsOf(request, microBatch));
  const half = (value: number): number => Math.ceil(value / 2);
  const withGrpo = (change: Partial<GrpoConfig>): number =>
    total(partsOf({ ...request, grpo: { ...grpo, ...change } }, microBatch));
  const fewerBits =
    request.offered.find((other) => BYTES_PER_VALUE[other] < BYTES_PER_VALUE[storage]) ?? null;
  const length = half(grpo.max_completion_length);
  const group = Math.max(2, half(grpo.num_generations));
  const rank = half(grpo.lora.r);
  const tried: (PlanChange | null)[] = [
    fewerBits && {
      setting: "storage",
      to: fewerBits,
      savesBytes: now - total(partsOf({ ...request, storage: fewerBits }, microBatch)),
    },
    {
      setting: "micro_batch_size",
      to: half(microBatch),
      savesBytes: now - total(partsOf(request, half(microBatch))),
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
