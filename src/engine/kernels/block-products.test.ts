/** A product with a matrix in blocks is, to the last bit, the product with the matrix's own numbers, whatever its sizes. */
import { describe, expect, it } from "vitest";
import { createRng } from "../../base/rng.ts";
import { runOn } from "../../testing/kernel-runs.ts";
import { type BlockBits, quantizeBlocks } from "../graph/block-tensor.ts";
import { Graph } from "../graph/ir.ts";
import { blockLinear, dequantizeBlocks } from "../graph/ops/blocks.ts";
import { linear } from "../graph/ops/linear.ts";
import { float32, type HostTensor } from "../graph/tensor.ts";
import type { Engine } from "../runtime/engine.ts";
import { openKernelEngine } from "./kernels-node.ts";

/** Every height of a tile and what may be left below it; widths that end within a panel of eight; rows that end within a block. */
const HEIGHTS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 49, 56];
const WIDTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 21];
const COLUMNS = [32, 40, 97];

const rng = createRng(5, "block-products");
const numbers = (length: number): Float32Array => Float32Array.from({ length }, () => rng.normal());

/** The product, and one with the matrix's numbers on their own. */
async function both(engine: Engine, M: number, [N, K]: readonly [number, number], bits: BlockBits) {
  const { data, scales } = quantizeBlocks(numbers(N * K), [N, K], bits);
  const blocks = Math.ceil(K / 32);
  const graph = new Graph("both");
  const x = graph.input("x", "float32", [M, K]);
  const [q, s] = [graph.input("q", "uint8", [N, blocks, 4 * bits]), graph.input("s", "float32", [N, blocks])];
  graph.output("blocks", blockLinear(x, q, s, { bits, columns: K }));
  graph.output("plain", linear(x, dequantizeBlocks(q, s, { bits, columns: K })));
  const uint8: HostTensor = { dtype: "uint8", dims: [N, blocks, 4 * bits], data };
  return runOn(engine, graph, {
    x: float32([M, K], numbers(M * K)),
    q: uint8,
    s: float32([N, blocks], scales),
  });
}

describe.each(["kernels-relaxed", "kernels"] as const)("%s", (build) => {
  it.each([8, 4] as const)("multiplies by %i bits as by the numbers they stand for", async (bits) => {
    const engine = await openKernelEngine(build);
    for (const M of HEIGHTS)
      for (const N of WIDTHS)
        for (const K of COLUMNS) {
          const { blocks = [], plain } = await both(engine, M, [N, K], bits);
          expect(blocks, `${M} x ${K} x ${N}`).toEqual(plain);
          expect(blocks.some((value) => value !== 0)).toBe(true);
        }
    await engine.dispose();
  });
});
