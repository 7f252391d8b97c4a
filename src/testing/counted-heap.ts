/** Counts what an engine on the kernels holds in its memory, block by block, for tests of the planner. */
import { blockSize, type Heap } from "../engine/kernels/heap.ts";
import type { Engine } from "../engine/runtime/engine.ts";

export interface CountedHeap {
  /** Bytes held now. */
  readonly held: () => number;
  /** Most bytes held since the last call. */
  readonly takePeak: () => number;
}

/** @param engine one of `openKernelEngine` that has computed nothing yet */
export function countHeap(engine: Engine): CountedHeap {
  const { heap } = engine as unknown as { readonly heap: Heap };
  const own = { ...heap };
  const sizes = new Map<number, number>();
  let held = 0;
  let peak = 0;
  Object.assign(heap, {
    allocate: (bytes: number): number => {
      const address = own.allocate(bytes);
      sizes.set(address, blockSize(bytes));
      held += blockSize(bytes);
      peak = Math.max(peak, held);
      return address;
    },
    free: (address: number): void => {
      held -= sizes.get(address) ?? 0;
      sizes.delete(address);
      own.free(address);
    },
  });
  return {
    held: () => held,
    takePeak: () => {
      const most = peak;
      peak = held;
      return most;
    },
  };
}
