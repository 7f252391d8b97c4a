/** Bytes of a graph's intermediates, counted by hand. */
import { expect, it } from "vitest";
import { Graph } from "./ir.ts";
import { add, exp, mul } from "./ops/elementwise.ts";
import { reshape } from "./ops/shape.ts";
import { peakBytes } from "./peak-memory.ts";

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
