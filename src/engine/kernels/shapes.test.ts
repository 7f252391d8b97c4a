/** Sizes that are known at the run only: read off the inputs, carried through sums and products of names. */
import { expect, it } from "vitest";
import { Graph } from "../graph/ir.ts";
import { neg } from "../graph/ops/elementwise.ts";
import { matMul } from "../graph/ops/linear.ts";
import { concat, expand, pad, reshape, slice } from "../graph/ops/shape.ts";
import { shapesOf } from "./shapes.ts";

function dimsOf(graph: Graph, feeds: Readonly<Record<string, readonly number[]>>): (readonly number[])[] {
  const shapes = shapesOf(graph, ({ name = "" }) => feeds[name] ?? []);
  return graph.outputs.map(({ value }) => shapes.get(value) ?? []);
}

it("carries a name, its sums and its products to the outputs", () => {
  const graph = new Graph("named");
  const x = graph.input("x", "float32", ["Tp", 4]);
  const y = graph.input("y", "float32", ["Tc", 4]);
  graph.output("same", neg(x));
  graph.output("sum", concat([x, y], 0)); // Tp+Tc
  graph.output("plus", pad(x, 0, 1, 1)); // Tp+2
  graph.output("product", matMul(x, graph.input("w", "float32", [4, 6])));
  graph.output("rows", reshape(x, [-1]));
  graph.output("stretched", expand(reshape(x, [1, "Tp", 4]), [3, "Tp", 4]));
  graph.output("part", slice(x, 0, 0, -1));
  for (const [Tp, Tc] of [
    [3, 5],
    [1, 1],
    [7, 2],
  ] as const) {
    expect(dimsOf(graph, { x: [Tp, 4], y: [Tc, 4], w: [4, 6] })).toEqual([
      ...[[Tp, 4], [Tp + Tc, 4], [Tp + 2, 4], [Tp, 6], [4 * Tp], [3, Tp, 4], [Tp - 1, 4]],
    ]);
  }
});

it("understands sums, differences and products of names in an attribute", () => {
  for (const [dim, size] of [
    ["Tp+1", 6],
    ["Tp+Tc", 8],
    ["Tp-2", 3],
    ["16*Tp", 80],
    ["Tp*Tc+1", 16],
  ] as const) {
    const graph = new Graph("attribute");
    graph.input("a", "float32", ["Tp"]);
    graph.input("b", "float32", ["Tc"]);
    const x = graph.input("x", "float32", [dim, 1]);
    graph.output("y", expand(x, [2, dim, 1]));
    expect(dimsOf(graph, { a: [5], b: [3], x: [size, 1] })).toEqual([[2, size, 1]]);
  }
});

it("refuses sizes that are not the graph's, or say two things of one name", () => {
  const graph = new Graph("named");
  const [x, y] = [graph.input("x", "float32", ["N", 2]), graph.input("y", "float32", ["N", 2])];
  graph.output("z", concat([x, y], 1));
  expect(dimsOf(graph, { x: [3, 2], y: [3, 2] })).toEqual([[3, 4]]);
  for (const wrong of [[4, 2], [3, 3], [3], [3, 2, 1]]) {
    expect(() => dimsOf(graph, { x: [3, 2], y: wrong })).toThrow(
      expect.objectContaining({ code: "graph-invalid", where: "input y of graph named" }),
    );
  }
});
