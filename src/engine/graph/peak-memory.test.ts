/** Bytes of a graph's intermediates, counted by hand. */
import { describe, expect, it } from "vitest";
import { Graph } from "./ir.ts";
import { add, exp, mul } from "./ops/elementwise.ts";
import { reshape } from "./ops/shape.ts";
import { largestResultBytes, peakBufferBytes, peakBytes } from "./peak-memory.ts";

/** 16 floats: one step of the alignment. */
const UNIT = 64;

function graphOf(build: (graph: Graph) => void): number {
  const graph = new Graph("test");
  build(graph);
  return peakBytes(graph);
}

it("holds a result until its last reader is done, and an output to the end", () => {
  const chain = graphOf((graph) => {
    const x = graph.input("x", "float32", [16]);
    graph.output("y", exp(exp(exp(x)))); // each beside the one before
  });
  expect(chain).toBe(2 * UNIT);
  const held = graphOf((graph) => {
    const a = exp(graph.input("x", "float32", [16]));
    graph.output("y", add(exp(exp(a)), a)); // a stays beside two more
  });
  expect(held).toBe(3 * UNIT);
});

it("gives a reshaped result no memory of its own, and inputs and weights none", () => {
  const bytes = graphOf((graph) => {
    const wide = mul(graph.input("x", "float32", [4, 4]), graph.weight("w", "float32", [4, 4]));
    graph.output("y", reshape(wide, [16]));
  });
  expect(bytes).toBe(UNIT);
});

it("fills a gap only with what fits into it", () => {
  const bytes = graphOf((graph) => {
    const small = exp(graph.input("x", "float32", [16])); // [0, 64)
    const kept = exp(small); // [64, 128), small ends
    const wide = exp(graph.input("z", "float32", [32])); // 128 bytes do not fit [0, 64)
    graph.output("kept", kept);
    graph.output("wide", wide);
  });
  expect(bytes).toBe(4 * UNIT);
});

it("refuses sizes that are not known", () => {
  expect(() =>
    graphOf((graph) => {
      graph.output("y", exp(graph.input("x", "float32", ["T"])));
    }),
  ).toThrow("known sizes");
});

describe("buffers of a GPU", () => {
  /** So many steps of 16 floats each, one after the other. */
  const chain = (steps: number): Graph => {
    const graph = new Graph("chain");
    let x = graph.input("x", "float32", [16]);
    for (let i = 0; i < steps; i++) x = exp(x);
    graph.output("y", x);
    return graph;
  };

  it("are held until sixteen dispatches are handed over, and one more is for an operator's own use", () => {
    expect(peakBufferBytes(chain(8))).toBe((8 + 1) * UNIT);
    // at the end of a hand-over its sixteen results, and the one that its first dispatch read
    expect(peakBufferBytes(chain(40))).toBe((17 + 1) * UNIT);
    expect(largestResultBytes(chain(40))).toBe(UNIT);
  });

  it("are there for constants", () => {
    const graph = new Graph("constant");
    const table = graph.constant("float32", [64], new Float32Array(64));
    graph.output("y", add(graph.input("x", "float32", [64]), table));
    expect(peakBufferBytes(graph)).toBe(4 * UNIT + 2 * 4 * UNIT);
  });
});
