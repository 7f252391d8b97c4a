/** What the writer adds to the operators' lowerings: names, weights, inputs, and errors. Runs on onnxruntime-node. */
import { afterAll, describe, expect, test } from "vitest";
import { interpret } from "./interpreter.ts";
import { Graph } from "./ir.ts";
import type { Value } from "./ir.ts";
import { toOnnx } from "./onnx.ts";
import { loop } from "./ops/control.ts";
import { add, mul } from "./ops/elementwise.ts";
import { linear } from "./ops/linear.ts";
import { less } from "./ops/logic.ts";
import { float32, int32 } from "./tensor.ts";
import type { HostTensor } from "./tensor.ts";

const { openNodeEngine } = await import("../runtime/ort-node.ts");
const engine = openNodeEngine(1);
afterAll(() => engine.dispose());

async function run(bytes: Uint8Array, feeds: Record<string, HostTensor>): Promise<Record<string, number[]>> {
  const session = await engine.load(bytes, { name: "onnx-test" });
  const outputs = Object.entries(await session.run(feeds));
  await session.dispose();
  return Object.fromEntries(
    outputs.map(([name, tensor]) => [
      name,
      "device" in tensor ? [] : Array.from<number | bigint, number>(tensor.data, Number),
    ]),
  );
}

function affine(): Graph {
  const graph = new Graph("affine");
  const w = graph.weight("w", "float32", [2, 2]);
  graph.output("y", linear(graph.input("x", "float32", ["N", 2]), w));
  return graph;
}
const W = float32([2, 2], Float32Array.of(1, 2, 3, 4));
const X = float32([1, 2], Float32Array.of(10, 100));

describe("weights", () => {
  test("with data are in the file, without data are inputs, to the same result", async () => {
    expect(await run(toOnnx(affine(), new Map([["w", W]])), { x: X })).toEqual({ y: [210, 430] });
    expect(await run(toOnnx(affine()), { x: X, w: W })).toEqual({ y: [210, 430] });
  });

  test("of another shape or type are refused by name", () => {
    const turned = float32([4, 1], Float32Array.of(1, 2, 3, 4));
    expect(() => toOnnx(affine(), new Map([["w", turned]]))).toThrow(
      "weight w of graph affine: expected float32 [2, 2], got float32 [4, 1]",
    );
    const integers = int32([2, 2], Int32Array.of(1, 2, 3, 4));
    expect(() => toOnnx(affine(), new Map([["w", integers]]))).toThrow("got int32 [2, 2]");
  });
});

test("inputs that nothing reads are not asked for", async () => {
  const graph = affine();
  mul(graph.input("unread", "float32", [3]), 2);
  const bytes = toOnnx(graph, new Map([["w", W]]));
  expect(graph.inputs.map((value) => value.name)).toEqual(["w", "x"]);
  expect(await run(bytes, { x: X })).toEqual({ y: [210, 430] });
});

test("one value may be several outputs, an input or a constant may be one, and a bool too", async () => {
  const graph = new Graph("names");
  const x = graph.input("x", "float32", [2]);
  const twice = mul(x, 2);
  graph.output("a", twice);
  graph.output("b", twice);
  graph.output("c", x);
  graph.output("d", graph.constant("int64", [2], [7, -7]));
  graph.output("e", less(x, twice));
  const got = await run(toOnnx(graph), { x: float32([2], Float32Array.of(1, -1)) });
  expect(got).toEqual({ a: [2, -2], b: [2, -2], c: [1, -1], d: [7, -7], e: [1, 0] });
});

test("a loop in a loop reads both graphs around it, and agrees with the interpreter", async () => {
  const graph = new Graph("nested");
  const x = graph.input("x", "float32", [1]);
  const step = graph.input("step", "float32", [1]);
  const outer = loop({
    name: "outer",
    maxTrips: 3,
    carried: [x],
    body: (_, [a]) => {
      const inner = loop({
        name: "inner",
        maxTrips: 2,
        carried: [a as Value],
        body: (__, [b]) => ({ carried: [add(add(b as Value, step), mul(a as Value, 0.5))] }),
      });
      return { carried: inner.carried, scans: [a as Value] };
    },
  });
  graph.output("y", outer.carried[0] as Value);
  graph.output("starts", outer.scans[0] as Value);
  const exact = interpret(graph, { x: [1], step: [3] });
  expect([...(exact["starts"]?.data ?? [])]).toEqual([1, 8, 22]);
  const feeds = { x: float32([1], Float32Array.of(1)), step: float32([1], Float32Array.of(3)) };
  expect(await run(toOnnx(graph), feeds)).toEqual({ y: [50], starts: [1, 8, 22] });
});
