/** Gradients of compositions; single operators are held to central differences in ops/registry.test.ts. */
import { describe, expect, test } from "vitest";
import { createRng } from "../../base/rng.ts";
import { expectClose } from "../../testing/graph/expect-close.ts";
import { numbers } from "../../testing/graph/op-case.ts";
import { gradients, vectorJacobian } from "./autodiff.ts";
import { interpret } from "./interpreter.ts";
import { Graph } from "./ir.ts";
import type { Value } from "./ir.ts";
import { add, exp, mul, neg, silu, stopGradient } from "./ops/elementwise.ts";
import { gather, gatherElements } from "./ops/gather.ts";
import { linear, matMul } from "./ops/linear.ts";
import { cast, greater } from "./ops/logic.ts";
import { logSoftmax, rmsNorm, rotary, softmax } from "./ops/nn.ts";
import { reduceSum } from "./ops/reduce.ts";
import { topK } from "./ops/search.ts";
import { reshape, slice, transpose } from "./ops/shape.ts";
import { verify } from "./passes.ts";
import { sizeOf } from "./tensor.ts";

function total(x: Value): Value {
  return reduceSum(x, [...x.dims.keys()]);
}

/** The gradient of a loss by one input called x, at some numbers. */
function gradientAt(build: (x: Value) => Value, at: readonly number[]): Float64Array {
  const graph = new Graph("test");
  const x = graph.input("x", "float32", [at.length]);
  graph.output("dx", gradients(build(x), [x])[0] as Value);
  verify(graph);
  return interpret(graph, { x: at })["dx"]?.data ?? new Float64Array();
}

describe("gradients", () => {
  test("add up over every use of a shared value", () => {
    const at = [0.3, -1.2];
    const got = gradientAt((x) => {
      const h = exp(x);
      return total(add(mul(h, h), h));
    }, at);
    expectClose(
      got,
      at.map((x) => 2 * Math.exp(2 * x) + Math.exp(x)),
      1e-12,
    );
  });

  test("do not pass a stopped value", () => {
    expectClose(
      gradientAt((x) => total(mul(x, stopGradient(mul(x, 3)))), [2, -5]),
      [6, -15],
      1e-12,
    );
  });

  test("of slices that overlap add up where they overlap", () => {
    const got = gradientAt((x) => total(add(mul(slice(x, 0, 0, 3), 2), slice(x, 0, 1, 4))), [1, 1, 1, 1]);
    expectClose(got, [2, 3, 3, 1], 1e-12);
  });

  test("by a value inside the graph stop there and go on to what made it", () => {
    const graph = new Graph("inner");
    const x = graph.input("x", "float32", [2]);
    const h = mul(x, 3);
    const [dh, dx] = gradients(total(mul(h, h)), [h, x]) as [Value, Value];
    graph.output("dh", dh);
    graph.output("dx", dx);
    const got = interpret(graph, { x: [1, 2] });
    expectClose(got["dh"]?.data ?? [], [6, 12], 1e-12);
    expectClose(got["dx"]?.data ?? [], [18, 36], 1e-12);
  });

  test("build nothing for what is not asked", () => {
    const graph = new Graph("one-sided");
    const x = graph.input("x", "float32", [4, 3]);
    const w = graph.weight("w", "float32", [5, 3]);
    const loss = total(linear(x, w));
    const before = graph.nodes.length;
    gradients(loss, [w]);
    // The loss's cotangent spread over [4, 5], and one product.
    expect(graph.nodes.slice(before).map((node) => node.op)).toEqual(["reshape", "expand", "gemm"]);
  });

  test("build nothing for what is stopped, or made without a variable", () => {
    const graph = new Graph("idle");
    const x = graph.input("x", "float32", [2]);
    const other = graph.input("other", "float32", [2]);
    const loss = total(mul(mul(x, stopGradient(exp(x))), exp(other)));
    const before = graph.nodes.length;
    gradients(loss, [x]);
    expect(graph.nodes.slice(before).map((node) => node.op)).toEqual(["reshape", "expand", "mul", "mul"]);
  });

  test("pass nothing through a comparison", () => {
    expectClose(
      gradientAt((x) => total(mul(x, cast(greater(x, 0), "float32"))), [2, -5]),
      [1, 0],
      1e-12,
    );
  });

  test("leave out a use that has no cotangent", () => {
    const graph = new Graph("tables");
    const cos = graph.input("cos", "float32", [1, 1]);
    const x = graph.input("x", "float32", [1, 1, 2]);
    const turned = rotary(
      x,
      graph.constant("int32", [1, 1], [0]),
      cos,
      graph.constant("float32", [1, 1], [0]),
    );
    graph.output("d", gradients(add(total(turned), total(mul(cos, 3))), [cos])[0] as Value);
    expectClose(interpret(graph, { cos: [1], x: [1, 2] })["d"]?.data ?? [], [3], 1e-12);
  });

  test("take a loss of shape [1]", () => {
    expectClose(
      gradientAt((x) => reduceSum(mul(x, x), [0], true), [2, -5]),
      [4, -10],
      1e-12,
    );
  });

  test("name the operator that has no rule", () => {
    const graph = new Graph("blocked");
    const x = graph.input("x", "float32", [4]);
    expect(() => gradients(total(topK(x, 2).values), [x])).toThrow(/topK.*differentiable/);
  });

  test("refuse a variable that the loss does not depend on, a loss that is no number, and named sizes", () => {
    const graph = new Graph("wrong");
    const x = graph.input("x", "float32", [4]);
    const other = graph.input("other", "float32", [4]);
    const named = graph.input("named", "float32", ["T"]);
    expect(() => gradients(total(x), [other])).toThrow("other float32 [4]");
    expect(() => gradients(x, [x])).toThrow("one float32 number, got x float32 [4]");
    expect(() => gradients(cast(total(x), "int32"), [x])).toThrow("one float32 number, got int32 []");
    expect(() => vectorJacobian([neg(x)], [total(x)], [x])).toThrow(
      "one shape, got float32 [4] and float32 []",
    );
    expect(() => gradients(total(neg(named)), [named])).toThrow("sizes that are numbers");
  });
});

test("vectorJacobian pulls a cotangent from above through a layer, as the whole graph's gradient does", () => {
  const graph = new Graph("layered");
  const x = graph.input("x", "float32", [2, 3]);
  const w = graph.weight("w", "float32", [3, 3]);
  const top = graph.input("top", "float32", [2, 3]);
  const h = silu(linear(x, w));
  const [dxWhole, dwWhole] = gradients(total(exp(mul(h, top))), [x, w]) as [Value, Value];
  const cotangent = mul(exp(mul(h, top)), top);
  const [dx, dw] = vectorJacobian([h], [cotangent], [x, w]) as [Value, Value];
  Object.entries({ dx, dw, dxWhole, dwWhole }).forEach(([name, value]) => {
    graph.output(name, value);
  });
  const got = interpret(graph, { x: numbers(6, 1), w: numbers(9, 2), top: numbers(6, 3) });
  expectClose(got["dx"]?.data ?? [], got["dxWhole"]?.data ?? [0], 1e-12);
  expectClose(got["dw"]?.data ?? [], got["dwWhole"]?.data ?? [0], 1e-12);
});

/** A decoder block with its loss: V 5, D 8, two query heads on one key head of Dh 4, T 3. */
function blockGraph(): { graph: Graph; weights: Value[]; feeds: Record<string, number[]> } {
  const graph = new Graph("block");
  const weights: Value[] = [];
  const rng = createRng(1, "block");
  const feeds: Record<string, number[]> = { ids: [1, 4, 1], labels: [4, 1, 0], positions: [0, 1, 2] };
  const weight = (name: string, ...dims: number[]): Value => {
    const value = graph.weight(name, "float32", dims);
    weights.push(value);
    feeds[name] = Array.from({ length: sizeOf(dims) }, () => rng.normal() * 0.5);
    return value;
  };
  const ids = graph.input("ids", "int32", [3]);
  const positions = graph.input("positions", "int32", [3, 1]);
  const angles = [0, 0, 1, 0.1, 2, 0.2];
  const cos = graph.constant("float32", [3, 2], angles.map(Math.cos));
  const sin = graph.constant("float32", [3, 2], angles.map(Math.sin));
  const x = gather(weight("embedding", 5, 8), ids, 0); // [T, D]
  const normed = rmsNorm(x, weight("norm", 8), 1e-6);
  const turn = (y: Value, width: number): Value =>
    reshape(rotary(reshape(y, [3, 1, width]), positions, cos, sin), [3, width]);
  const q = turn(linear(normed, weight("q", 8, 8)), 8);
  const k = turn(linear(normed, weight("k", 4, 8)), 4); // [T, Dh]
  const v = linear(normed, weight("v", 4, 8));
  const scores = matMul(transpose(reshape(q, [3, 2, 4]), [1, 0, 2]), transpose(k, [1, 0])); // [H, T, T]
  const mask = graph.constant("float32", [3, 3], [0, -1e9, -1e9, 0, 0, -1e9, 0, 0, 0]);
  const mixed = matMul(softmax(add(mul(scores, 0.5), mask)), v); // [H, T, Dh]
  const attended = add(x, linear(reshape(transpose(mixed, [1, 0, 2]), [3, 8]), weight("o", 8, 8)));
  const inner = rmsNorm(attended, weight("norm2", 8), 1e-6);
  const mlp = mul(silu(linear(inner, weight("gate", 6, 8))), linear(inner, weight("up", 6, 8)));
  const out = add(attended, linear(mlp, weight("down", 8, 6)));
  const logProbs = logSoftmax(linear(out, weight("head", 5, 8)));
  const labels = reshape(graph.input("labels", "int32", [3]), [3, 1]);
  graph.output("loss", neg(total(gatherElements(logProbs, labels, 1))));
  return { graph, weights, feeds };
}

test("a decoder block's gradient agrees with central differences in every weight", () => {
  const { graph, weights, feeds } = blockGraph();
  const loss = graph.outputs[0]?.value as Value;
  gradients(loss, weights).forEach((gradient, i) => {
    graph.output(`d.${weights[i]?.name}`, gradient);
  });
  verify(graph);
  const exact = interpret(graph, feeds);
  const { graph: forward } = blockGraph();
  const h = 1e-5;
  for (const { name = "" } of weights) {
    const base = feeds[name] ?? [];
    const lossAt = (i: number, x: number): number =>
      interpret(forward, { ...feeds, [name]: base.map((y, j) => (j === i ? x : y)) })["loss"]?.data[0] ?? NaN;
    const wanted = base.map((x, i) => (lossAt(i, x + h) - lossAt(i, x - h)) / (2 * h));
    const size = Math.max(...wanted.map(Math.abs));
    expect(size, name).toBeGreaterThan(1e-3);
    const relative = (list: ArrayLike<number>): number[] => Array.from(list, (x) => x / size);
    expectClose(relative(exact[`d.${name}`]?.data ?? []), relative(wanted), 1e-7);
  }
});
