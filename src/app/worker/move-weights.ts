/** Moves a model's weights into the memory of the engine that computes with them, so that they are not in memory twice. */
import { type BlockTensor, isBlockTensor, type WeightTensor } from "../../engine/graph/block-tensor.ts";
import type { Engine } from "../../engine/runtime/engine.ts";

/**
 * Every matrix in blocks, one after the other, in place; the arrays that they were in end. Nothing where the engine has no memory
 * that can be read as arrays. To be called before the engine's first policy, while nobody else reads the weights.
 */
export function moveWeights({ hold }: Engine, weights: ReadonlyMap<string, WeightTensor>): void {
  if (hold === undefined || !(weights instanceof Map)) return;
  for (const [name, weight] of weights as Map<string, WeightTensor>) {
    if (!isBlockTensor(weight)) continue;
    weights.set(name, hold(weight));
    end(weight);
  }
}

/** At once where the browser can: a collection of garbage may come only when the model has been copied whole. */
function end({ data, scales }: BlockTensor): void {
  for (const array of [data, scales]) {
    const buffer = array.buffer as ArrayBuffer & { readonly transfer?: (length: number) => ArrayBuffer };
    if (array.byteLength === buffer.byteLength) buffer.transfer?.(0);
  }
}
