/** The kernels' memory: blocks that never meet, room behind each, what is given back is used again. */
import { describe, expect, it } from "vitest";
import { createRng } from "../../base/rng.ts";
import { blockSize, createHeap, FIRST, type Heap } from "./heap.ts";

const sizeOf = ({ memory }: Heap): number => memory.buffer.byteLength;

describe("the kernels' heap", () => {
  it("starts above the module's own data and keeps 64 bytes free behind each block", () => {
    const heap = createHeap();
    const [a, b] = [heap.allocate(4), heap.allocate(100)];
    expect(a).toBe(FIRST);
    expect(b - (a + 4)).toBeGreaterThanOrEqual(64);
    expect(b % 64).toBe(0);
    expect(blockSize(0)).toBe(64);
    expect(blockSize(64)).toBe(128);
    expect(blockSize(65)).toBe(192);
  });

  it("merges what was given back, from whichever side, and uses it again", () => {
    const heap = createHeap();
    const blocks = [1000, 2000, 3000, 4000].map((bytes) => heap.allocate(bytes));
    for (const i of [1, 3, 2, 0]) heap.free(blocks[i] ?? 0);
    const before = sizeOf(heap);
    expect(heap.allocate(before - FIRST - 64)).toBe(blocks[0]); // all of it in one piece
    expect(sizeOf(heap)).toBe(before);
  });

  it("fills the gap between two blocks, and gives nothing back twice", () => {
    const heap = createHeap();
    const [a, gap, c] = [heap.allocate(100), heap.allocate(500), heap.allocate(100)];
    heap.free(gap);
    heap.free(gap);
    expect(heap.allocate(600)).toBeGreaterThan(c);
    expect(heap.allocate(400)).toBe(gap);
    expect(heap.allocate(400)).toBeGreaterThan(c);
    expect(a).toBeLessThan(gap);
  });

  it("grows, and keeps what was written before", () => {
    const heap = createHeap();
    const address = heap.allocate(16);
    heap.floats(address, 4).set([1, 2, 3, 4]);
    const big = heap.allocate(40_000_000);
    expect(sizeOf(heap)).toBeGreaterThanOrEqual(big + 40_000_000 + 64);
    heap.floats(big, 10_000_000).fill(7);
    expect([...heap.floats(address, 4)]).toEqual([1, 2, 3, 4]);
    expect([...heap.ints(address, 1)]).toEqual([0x3f800000]);
    heap.free(big);
    const grown = sizeOf(heap);
    expect(heap.allocate(39_000_000)).toBe(big);
    expect(sizeOf(heap)).toBe(grown);
  });

  it("says so where there is no more memory, and stays usable", () => {
    const heap = createHeap();
    const address = heap.allocate(8);
    expect(() => heap.allocate(2 ** 31)).toThrow(
      expect.objectContaining({ code: "session-failed", where: "memory of the WASM kernels" }),
    );
    expect(heap.allocate(8)).toBeGreaterThan(address);
  });

  it("never lets two blocks meet, through 2,000 random requests, and ends as it began", () => {
    const heap = createHeap();
    const rng = createRng(1, "heap");
    const live = new Map<number, number>();
    for (let i = 0; i < 2000; i++) {
      if (live.size > 20 || (live.size > 0 && rng.next() < 0.45)) {
        const address = [...live.keys()][rng.below(live.size)] ?? 0;
        live.delete(address);
        heap.free(address);
      } else {
        const bytes = 4 * rng.below(4000);
        live.set(heap.allocate(bytes), bytes);
      }
      const blocks = [...live].sort(([a], [b]) => a - b);
      blocks.forEach(([start, bytes], at) => {
        expect(start + bytes + 64).toBeLessThanOrEqual(blocks[at + 1]?.[0] ?? sizeOf(heap));
      });
    }
    const size = sizeOf(heap);
    expect(size).toBeLessThan(20_000_000);
    live.forEach((_, address) => {
      heap.free(address);
    });
    expect(heap.allocate(size - FIRST - 64)).toBe(FIRST);
    expect(sizeOf(heap)).toBe(size);
  });
});
