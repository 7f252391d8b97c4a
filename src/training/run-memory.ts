/**
 * Memory of a run by part. Sizes are those of the model's shape and of the very graphs that will run (update-memory.ts); what
 * each engine keeps of weights and caches was counted (planner-memory tests). Rollout, update and optimizer take turns in the
 * same memory, so each part counts with what it needs beyond those before it, and the sum is the most that is held at once.
 */
import type { GrpoConfig } from "../domain/grpo/config.ts";
import type { MemoryPart, RunPlan, WeightStorage } from "../domain/run/memory-plan.ts";
import { sizeOf } from "../engine/graph/tensor.ts";
import { loraLayout } from "../engine/nn/lora.ts";
import { isTable, type ModelConfig, weightSpecs } from "../engine/nn/model-config.ts";
import {
  LARGEST_BLOCK_TABLE_BYTES,
  LARGEST_TABLE_BYTES,
  tableChunkRows,
} from "../engine/nn/vocabulary-table.ts";
import { cacheLengthFor } from "./model-policy/cache-length.ts";
import { MOST_LARGE_SESSIONS } from "./model-policy/compiled-graphs.ts";
import { choosePlan, type PlanName } from "./model-policy/plan-choice.ts";
import { MOST_POSITIONS } from "./room.ts";
import { updateMemory, type UpdateMemory } from "./update-memory.ts";

export type PlannedEngine = RunPlan["engine"];

export interface RunMemoryRequest {
  readonly config: ModelConfig;
  readonly storage: WeightStorage;
  readonly engine: PlannedEngine;
  readonly grpo: GrpoConfig;
  readonly arms: number;
  /** Tokens of the longest prompt. */
  readonly promptTokens: number;
  /** As the policy's options of these names. */
  readonly plan?: PlanName;
  readonly largestTableBytes?: number;
}

export interface RunMemory {
  readonly parts: readonly MemoryPart[];
  /** Of them, what is in the engine's own memory: the GPU's, or the heap of a WASM module. */
  readonly engineBytes: number;
  /** The largest tensor that is computed. */
  readonly largestBytes: number;
}

/** Scripts, tokenizer and JavaScript's own heap, and onnxruntime where it computes. */
const RUNTIME_BYTES: Readonly<Record<PlannedEngine, number>> = { kernels: 110e6, wasm: 220e6, webgpu: 260e6 };
/** Of these, in the heap of onnxruntime's module: its own data, and the nodes of open sessions. */
const WASM_OWN_BYTES = 22e6;
const FLOAT = 4;
/** Per value: the bits, and one float32 scale a block of 32. */
export const BYTES_PER_VALUE: Readonly<Record<WeightStorage, number>> = {
  f32: 4,
  q8: 1 + 4 / 32,
  q4: 0.5 + 4 / 32,
};
/** Copies of the answers' caches: the kernels write in place, a Loop has what went in, what comes out, and hands it over. */
const CACHE_COPIES: Readonly<Record<PlannedEngine, number>> = { kernels: 1, wasm: 3, webgpu: 1 };
/** Of logits [G, V] while a token is sampled: as they come, divided, as powers, and the next ones. */
const LOGIT_COPIES = 4;

/** With gradient passes of `microBatch` completions. */
export function runMemory(request: RunMemoryRequest, microBatch: number): RunMemory {
  const { config, grpo, arms, engine } = request;
  const onGpu = engine === "webgpu";
  const adapter = loraLayout(config, grpo.lora).size * FLOAT;
  const cache = cacheBytes(request);
  const update = updateMemory({ ...request, chunkRows: chunkRowsOf(request), microBatch });
  const { kept, opening, rollout, layer, top, optimizer } = phasesOf(request, cache, update);
  const gradient = onGpu ? update.gradientBytes : 0; // elsewhere it is fetched at once
  const sampled = Math.max(cache + rollout, layer);
  const activations = Math.max(0, sampled - cache - gradient);
  const learned = Math.max(sampled, top, cache + gradient);
  const most = Math.max(learned, optimizer, opening);
  const held = kept + Math.max(0, opening - Math.max(learned, optimizer));
  const device = (name: MemoryPart["name"], bytes: number, host = 0): MemoryPart => ({
    name,
    gpuBytes: onGpu ? bytes : 0,
    cpuBytes: host + (onGpu ? 0 : bytes),
  });
  return {
    parts: [
      device("weights", held, hostWeights(request)),
      device("kv-cache", cache),
      device("activations", activations),
      device("head", learned - cache - gradient - activations),
      device("gradients", gradient, adapter),
      device("adamw", Math.max(0, optimizer - learned), 3 * adapter * arms),
      device("runtime", 0, RUNTIME_BYTES[engine]),
    ],
    engineBytes: kept + most + (engine === "wasm" ? WASM_OWN_BYTES : 0),
    largestBytes: update.largestBytes,
  };
}

/**
 * Bytes of the page's own copy, from which models are merged and policies of another rank opened: all but blocks on our kernels,
 * which are read where they compute.
 */
function hostWeights({ config, storage, engine }: RunMemoryRequest): number {
  return engine === "kernels" && storage !== "f32" ? 0 : weightBytes(config, storage);
}

/** Bytes in the engine's memory: of weights as long as it is open, and at one time or another beside them. */
interface Phases {
  readonly kept: number;
  /** While the last session opens. */
  readonly opening: number;
  /** While a token is sampled, beside the caches. */
  readonly rollout: number;
  readonly layer: number;
  readonly top: number;
  readonly optimizer: number;
}

function phasesOf(request: RunMemoryRequest, cache: number, update: UpdateMemory): Phases {
  const { config, storage, grpo, engine } = request;
  const weights = weightBytes(config, storage);
  const plain = storage === "f32";
  const own: Phases = {
    kept: weights,
    ...{ opening: 0, rollout: 0, optimizer: update.optimizerBytes },
    layer: update.rowBytes + update.layerBytes,
    top: update.rowBytes + update.topBytes,
  };
  const whole = (request.plan ?? choosePlan(config)) === "whole";
  if (engine === "kernels") {
    // floats as they lie and packed for both directions; blocks as they are, and a copy of the layer that is computed
    const fed = whole ? 0 : partsOfWeights(request).layer;
    return { ...own, kept: (plain ? 3 : 1) * weights, layer: own.layer + fed };
  }
  const logits = LOGIT_COPIES * FLOAT * grpo.num_generations * config.vocabSize;
  if (engine === "wasm") return onWasm(request, { ...own, rollout: logits });
  const { gradientBytes: fed } = update; // the adapter, or a layer's share of it
  const merged = plain && choosePlan(config) === "whole" ? partsOfWeights(request).matrices : 0;
  const empty = cache / (grpo.num_generations + 1); // what the prompt's cache is written over
  return { ...own, rollout: logits + merged + empty, layer: own.layer + fed, top: own.top + fed };
}

/** Float weights are packed in each session of rollouts, and fed to the layers; blocks are fed to every run. */
function onWasm(request: RunMemoryRequest, own: Phases): Phases {
  const { config, storage } = request;
  const { kept: weights, rollout, layer, top } = own;
  const parts = partsOfWeights(request);
  const { scratch } = parts;
  if (storage !== "f32") {
    // a product makes its matrix floats
    return { ...own, rollout: rollout + scratch, layer: layer + scratch, top: top + scratch };
  }
  const whole = (request.plan ?? choosePlan(config)) === "whole";
  const session = weights + (config.tieWordEmbeddings ? parts.table : 0); // a tied table as it lies, and packed
  const fed = whole ? { layer: 0, top: 0 } : { layer: parts.layer, top: parts.table };
  return {
    ...own,
    kept: MOST_LARGE_SESSIONS * session + (whole ? weights + session : 0), // a whole update packs for both directions
    opening: 0.75 * weights,
    ...{ layer: layer + fed.layer, top: top + fed.top },
  };
}

/** Bytes of the head's table, of one layer's weights, of all layers' matrices, and of the largest matrix as floats. */
function partsOfWeights(request: RunMemoryRequest) {
  const { config, storage } = request;
  const bytes = (shape: readonly number[]): number => sizeOf(shape) * bytesPerValue(shape, storage);
  const specs = weightSpecs(config);
  const inLayers = specs.filter(({ name }) => name.startsWith("model.layers."));
  const sum = (some: typeof specs): number => some.reduce((all, { shape }) => all + bytes(shape), 0);
  const chunk = chunkRowsOf(request) ?? config.vocabSize;
  const sizes = inLayers.filter(({ shape }) => shape.length === 2).map(({ shape }) => sizeOf(shape));
  return {
    table: bytes([config.vocabSize, config.hiddenSize]),
    layer: sum(inLayers) / config.layers,
    matrices: sum(inLayers.filter(({ name, shape }) => shape.length === 2 && !isTable(name))),
    scratch: FLOAT * Math.max(chunk * config.hiddenSize, ...sizes),
  };
}

/** Matrices as stored; norms and biases stay float32. */
export function weightBytes(config: ModelConfig, storage: WeightStorage): number {
  return weightSpecs(config).reduce(
    (sum, { shape }) => sum + sizeOf(shape) * bytesPerValue(shape, storage),
    0,
  );
}

const bytesPerValue = (shape: readonly number[], storage: WeightStorage): number =>
  shape.length === 2 ? BYTES_PER_VALUE[storage] : FLOAT;

/** Keys and values of G rows; the prompt's own cache beside them. */
function cacheBytes({ config, grpo, promptTokens, engine }: RunMemoryRequest): number {
  const { layers: L, kvHeads: Hkv, headDim: Dh } = config;
  const most = Math.min(config.maxPositions, MOST_POSITIONS);
  const positions = cacheLengthFor(engine, promptTokens + grpo.max_completion_length, most);
  return CACHE_COPIES[engine] * 2 * FLOAT * L * Hkv * Dh * positions * (grpo.num_generations + 1);
}

/** Rows of one chunk of the tables; undefined where they are whole. */
export function chunkRowsOf({
  config,
  storage,
  largestTableBytes,
}: Pick<RunMemoryRequest, "config" | "storage" | "largestTableBytes">): number | undefined {
  return tableChunkRows(
    config,
    largestTableBytes ?? (storage === "f32" ? LARGEST_TABLE_BYTES : LARGEST_BLOCK_TABLE_BYTES),
  );
}
