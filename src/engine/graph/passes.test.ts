/** Rewrites keep the meaning and shorten; the verifier refuses what no builder would make. */
import { describe, expect, test } from "vitest";
import { interpret } from "./interpreter.ts";
import { Graph } from "./ir.ts";
import type { Node, Value } from "./ir.ts";
import { loop } from "./ops/control.ts";
import { add, exp, mul, neg } from "./ops/elementwise.ts";
import { reduceSum } from "./ops/reduce.ts";
import { slice } from "./ops/shape.ts";
import { commonSubexpressions, deadCode, optimize, verify } from "./passes.ts";

const ops = (graph: Graph): string[] => graph.nodes.map((node) => node.op);

describe("commonSubexpressions", () => {
  test("makes equal nodes one, through chains and outputs, and leaves other attributes apart", () => {
    const graph = new Graph("twice");
    const x = graph.input("x", "float32", [4]);
    const [a, b] = [exp(neg(x)), exp(neg(x))];
    graph.output("same", b);
    graph.output("y", add(mul(a, b), slice(x, 0, 0, 1)));
    graph.output("z", slice(x, 0, 1, 2));
    const before = interpret(graph, { x: [1, 2, 3, 4] });
    commonSubexpressions(graph);
    expect(ops(graph)).toEqual(["neg", "exp", "mul", "slice", "add", "slice"]);
    verify(graph);
    expect(interpret(graph, { x: [1, 2, 3, 4] })).toEqual(before);
    expect(before["y"]?.data[1]).toBeCloseTo(Math.exp(-4) + 1, 12);
  });

  test("makes equal small constants one, by type, shape and numbers", () => {
    const graph = new Graph("constants");
    const x = graph.input("x", "float32", [2]);
    const c = (...data: number[]): Value => graph.constant("float32", [2], data);
    graph.output("y", add(mul(x, c(1, 2)), add(mul(x, c(1, 2)), mul(x, c(2, 1)))));
    optimize(graph);
    expect(ops(graph)).toEqual(["mul", "mul", "add", "add"]);
    expect(graph.constants).toHaveLength(2);
    expect([...(interpret(graph, { x: [1, 1] })["y"]?.data ?? [])]).toEqual([4, 5]);
  });

  test("replaces what a loop's body reads from outside", () => {
    const graph = new Graph("captured");
    const x = graph.input("x", "float32", [1]);
    const [a, b] = [exp(x), exp(x)];
    const { carried } = loop({
      maxTrips: 2,
      carried: [x],
      body: (_, [now]) => ({ carried: [add(now as Value, b)] }),
    });
    graph.output("y", add(carried[0] as Value, a));
    optimize(graph);
    expect(ops(graph)).toEqual(["exp", "loop", "add"]);
    expect(interpret(graph, { x: [0] })["y"]?.data[0]).toBe(3);
  });
});

describe("deadCode", () => {
  test("drops nodes, constants and inputs that no output needs, and nothing else", () => {
    const graph = new Graph("dead");
    const x = graph.input("x", "float32", [2]);
    const unread = graph.input("unread", "float32", [2]);
    mul(exp(unread), 3);
    graph.output("y", mul(x, 2));
    deadCode(graph);
    expect(ops(graph)).toEqual(["mul"]);
    expect(graph.inputs).toEqual([x]);
    expect(graph.constants.map((value) => value.data?.data[0])).toEqual([2]);
  });

  test("keeps what only a loop's body reads, and drops what the body stopped needing", () => {
    const graph = new Graph("dead-loop");
    const x = graph.input("x", "float32", [1]);
    const read = graph.input("read", "float32", [1]);
    const unread = graph.input("unread", "float32", [1]);
    const { carried } = loop({
      maxTrips: 3,
      carried: [x],
      body: (_, [now]) => {
        mul(now as Value, unread);
        return { carried: [add(now as Value, read)] };
      },
    });
    graph.output("y", carried[0] as Value);
    optimize(graph);
    expect(graph.inputs).toEqual([x, read]);
    expect(interpret(graph, { x: [1], read: [2] })["y"]?.data[0]).toBe(7);
  });
});

describe("verify", () => {
  function small(): { graph: Graph; x: Value } {
    const graph = new Graph("small");
    const x = graph.input("x", "float32", [2, 3]);
    graph.output("y", reduceSum(exp(x), [1]));
    return { graph, x };
  }

  test("accepts a built graph", () => {
    expect(() => {
      verify(small().graph);
    }).not.toThrow();
  });

  test("refuses a graph without outputs", () => {
    const graph = new Graph("mute");
    graph.input("x", "float32", [1]);
    expect(() => {
      verify(graph);
    }).toThrow("at least one output");
  });

  test("refuses a reader before its maker", () => {
    const { graph } = small();
    graph.nodes.reverse();
    expect(() => {
      verify(graph);
    }).toThrow("reduceSum in graph small: expected input 0 to be made before its reader");
  });

  test("refuses outputs that the operator does not infer", () => {
    const { graph, x } = small();
    graph.append("exp", [x], {}, [{ dtype: "float32", dims: [3, 2] }]);
    expect(() => {
      verify(graph);
    }).toThrow("expected outputs float32 [2, 3], got float32 [3, 2]");
  });

  test("refuses inputs that the operator does not take", () => {
    const { graph, x } = small();
    graph.append("not", [x], {}, [{ dtype: "bool", dims: [2, 3] }]);
    expect(() => {
      verify(graph);
    }).toThrow("not in graph small: expected bool");
  });

  test("refuses tensors of another graph, in nodes and in outputs", () => {
    const other = new Graph("other").input("z", "float32", [1]);
    const { graph } = small();
    graph.output("foreign", other);
    expect(() => {
      verify(graph);
    }).toThrow("output foreign");
    const { graph: second, x } = small();
    expect(() => add(x, other)).toThrow("tensors that graph small can read");
    (second.nodes[0] as Node).inputs[0] = other;
    expect(() => {
      verify(second);
    }).toThrow("a later or foreign tensor");
  });

  test("refuses a name twice", () => {
    const { graph } = small();
    expect(() => graph.input("x", "float32", [1])).toThrow("a name used once");
    expect(() => {
      graph.output("y", graph.nodes[0]?.outputs[0] as Value);
    }).toThrow("a name used once");
    graph.outputs.push(graph.outputs[0] as (typeof graph.outputs)[number]);
    expect(() => {
      verify(graph);
    }).toThrow("a name used once");
  });
});
