/** Memory of the kernels' module: blocks with spare room behind them, since the kernels read and write whole vectors. */
import { PlaygroundError } from "../../base/errors.ts";
import type { DType, HostTensor } from "../graph/tensor.ts";

const PAGE = 65536;
const ALIGN = 64;
/** Room behind every block, for vectors that reach past its end. */
const SPARE = 64;
/** Below lies the kernels' own data (tables of the logarithm). */
export const FIRST = 16_384;
/** 2 GiB: addresses are held as signed numbers of 32 bits. */
export const MOST_PAGES = 32768;

interface Block {
  start: number;
  size: number;
}

export interface Heap {
  readonly memory: WebAssembly.Memory;
  /** Address of a fresh block of at least so many bytes. @throws PlaygroundError `out-of-memory` */
  allocate(bytes: number): number;
  free(address: number): void;
  floats(address: number, length: number): Float32Array<ArrayBuffer>;
  ints(address: number, length: number): Int32Array<ArrayBuffer>;
}

/** What a block of `bytes` takes up. */
export function blockSize(bytes: number): number {
  return Math.ceil((bytes + SPARE) / ALIGN) * ALIGN;
}

/** @param shared for several threads; needs a page that may share memory, and address space for all of it */
export function createHeap(shared = false): Heap {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: MOST_PAGES, shared });
  const taken = new Map<number, number>();
  /** By address; neighbours are merged. */
  let open: Block[] = [{ start: FIRST, size: memory.buffer.byteLength - FIRST }];

  const grow = (bytes: number): void => {
    const last = open.at(-1);
    const end = memory.buffer.byteLength;
    const touches = last !== undefined && last.start + last.size === end;
    const missing = bytes - (touches ? last.size : 0);
    const pages = Math.max(Math.ceil(missing / PAGE), Math.min(256, MOST_PAGES - end / PAGE));
    try {
      memory.grow(pages);
    } catch (cause) {
      throw outOfMemory(bytes, end, cause);
    }
    if (touches) last.size += pages * PAGE;
    else open.push({ start: end, size: pages * PAGE });
  };

  return {
    memory,
    allocate(bytes) {
      const size = blockSize(bytes);
      let block = open.find((each) => each.size >= size);
      if (block === undefined) {
        grow(size);
        block = open.at(-1);
      }
      if (block === undefined) throw new Error("memory that grew has room");
      const { start } = block;
      block.start += size;
      block.size -= size;
      open = open.filter((each) => each.size > 0);
      taken.set(start, size);
      return start;
    },
    free(address) {
      const size = taken.get(address);
      if (size === undefined) return;
      taken.delete(address);
      open = merged([...open, { start: address, size }]);
    },
    floats: (address, length) => new Float32Array(memory.buffer, address, length),
    ints: (address, length) => new Int32Array(memory.buffer, address, length),
  };
}

/** Bytes of one number: whole numbers and booleans take 32 bits, the bytes of blocks (uint8) one. */
export function elementBytes(dtype: DType): number {
  return dtype === "uint8" ? 1 : 4;
}

/** Puts a tensor at an address: floats and bytes as they are, whole numbers and booleans as 32-bit ones. */
export function writeTensor(heap: Heap, { dtype, data }: HostTensor, address: number): void {
  if (dtype === "uint8") new Uint8Array(heap.memory.buffer, address, data.length).set(data as Uint8Array);
  else if (dtype === "float32") heap.floats(address, data.length).set(data as Float32Array);
  else heap.ints(address, data.length).set(Int32Array.from(data, Number));
}

function merged(blocks: Block[]): Block[] {
  blocks.sort((a, b) => a.start - b.start);
  const out: Block[] = [];
  for (const block of blocks) {
    const last = out.at(-1);
    if (last !== undefined && last.start + last.size === block.start) last.size += block.size;
    else out.push(block);
  }
  return out;
}

function outOfMemory(bytes: number, inUse: number, cause: unknown): PlaygroundError {
  return new PlaygroundError(
    {
      code: "session-failed",
      where: "memory of the WASM kernels",
      expected: `${Math.ceil(bytes / 2 ** 20)} MiB more beside ${Math.ceil(inUse / 2 ** 20)} MiB`,
      got: "no memory from the browser",
      next: "Close other tabs, or lower num_generations, max_completion_length or micro_batch_size.",
    },
    { cause },
  );
}
