/** Matrices in blocks that lie in the kernels' memory alone: read from there as from arrays of their own, computed with where they lie. */
import type { BlockTensor } from "../graph/block-tensor.ts";
import type { HostTensor } from "../graph/tensor.ts";
import type { Heap } from "./heap.ts";

/**
 * Copies the matrix into the heap, where it stays as long as that lives. Its `data` and `scales` are views made at each reading,
 * since a memory that grows ends those that were made before.
 * @throws PlaygroundError `session-failed` where there is no room
 */
export function holdBlocks(heap: Heap, { bits, dims, data, scales }: BlockTensor): BlockTensor {
  const [bytes, floats] = [data.length, scales.length];
  const at = { data: heap.allocate(bytes), scales: heap.allocate(scales.byteLength) };
  const held = {
    bits,
    dims,
    get data() {
      return new Uint8Array(heap.memory.buffer, at.data, bytes);
    },
    get scales() {
      return heap.floats(at.scales, floats);
    },
  };
  held.data.set(data);
  held.scales.set(scales);
  return held;
}

/** Where a tensor's numbers lie in the heap; null where they are elsewhere. */
export function placeInHeap(heap: Heap, { data }: HostTensor): number | null {
  return data.buffer === heap.memory.buffer ? data.byteOffset : null;
}
