/** What a run takes before it begins, as the planner (training/planner.ts) tells it and the page shows it: memory by part, what to change, speed. */

/** How weights are held: float32, or blocks of 32 with 8 or 4 bits a value. */
export type WeightStorage = "f32" | "q8" | "q4";
/** Those that the loader makes, the largest first. */
export const WEIGHT_STORAGES: readonly WeightStorage[] = ["f32", "q8", "q4"];

/** One use of memory, in bytes. */
export interface MemoryPart {
  readonly name: "weights" | "kv-cache" | "activations" | "gradients" | "adamw" | "head" | "runtime";
  readonly gpuBytes: number;
  readonly cpuBytes: number;
}

/** One setting that takes less, alone. */
export interface PlanChange {
  readonly setting: "storage" | "micro_batch_size" | "max_completion_length" | "num_generations" | "r";
  readonly to: number | WeightStorage;
  readonly savesBytes: number;
}

/** What a run of some settings needs on one engine. */
export interface RunPlan {
  readonly engine: "kernels" | "wasm" | "webgpu";
  readonly storage: WeightStorage;
  readonly parts: readonly MemoryPart[];
  readonly gpuBytes: number;
  readonly cpuBytes: number;
  /** The update as one graph, or layer by layer. */
  readonly update: "whole" | "layered";
  /** Completions of one gradient pass, as the settings say or smaller so that it fits. */
  readonly microBatch: number;
  /** Rows of embedding and head in one tensor; null = not cut. */
  readonly chunkRows: number | null;
  readonly fits: boolean;
  /** What keeps it from fitting; null where it fits. */
  readonly limit: "wasm-heap" | "device-memory" | "binding" | null;
  /** What would make it fit, or take less, best first; with the bytes that it saves. */
  readonly changes: readonly PlanChange[];
}

/** Measured on a loaded model: one more token of a group takes decodeTokenMs + rows * decodeRowMs. */
export interface MeasuredSpeed {
  readonly decodeTokenMs: number;
  readonly decodeRowMs: number;
  /** Of one packed row of the update, forward and backward. */
  readonly updateRowMs: number;
}
