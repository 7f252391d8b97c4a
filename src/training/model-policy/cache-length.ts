/** How long the caches of a rollout's answers are made where they stay with the engine and have a fixed length. */
import type { EngineKind } from "../../engine/runtime/engine.ts";

/**
 * Lengths are multiples of this, so that few graphs are opened: a short one on our kernels, where a graph opens in no time, a
 * longer one on WebGPU, where it takes seconds to compile.
 */
const STEP = { kernels: 32, webgpu: 128 } as const;

/** Positions of a cache for so many tokens, prompt and answer, and no more than `maxPositions`. On onnxruntime's CPU side it grows token by token. */
export function cacheLengthFor(kind: EngineKind, tokens: number, maxPositions: number): number {
  if (kind !== "kernels" && kind !== "webgpu") return tokens;
  return Math.min(maxPositions, Math.ceil(tokens / STEP[kind]) * STEP[kind]);
}
