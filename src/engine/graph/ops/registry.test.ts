/** Walks the registry: value, shape, gradient and ONNX lowering of every operator, on every case of the case tables. */
import { describe, expect, test } from "vitest";
import { differences } from "../../../testing/graph/central-differences.ts";
import { expectClose, expectCloseWhereDefined } from "../../../testing/graph/expect-close.ts";
import { caseGraph, gradientGraph, numbers, refFeeds, variables } from "../../../testing/graph/op-case.ts";
import { OP_CASES } from "../../../testing/graph/op-cases.ts";
import { runCase } from "../../../testing/graph/run-case.ts";
import { gradients } from "../autodiff.ts";
import { interpret } from "../interpreter.ts";
import type { OpName } from "../ir.ts";
import { verify } from "../passes.ts";
import { opOf, OPS } from "./registry.ts";
import { reduceSum } from "./reduce.ts";

const { openNodeEngine } = await import("../../runtime/ort-node.ts");
const engine = openNodeEngine(1);

const withRule = (name: OpName): boolean => opOf(name).vjp !== undefined;

test("every operator has a case, under its own name", () => {
  expect(Object.keys(OPS).filter((name) => !OP_CASES.some((opCase) => opCase.op === name))).toEqual([]);
  for (const [name, def] of Object.entries(OPS)) expect(def.name).toBe(name);
});

test("every operator with a rule has a case that checks a gradient, but the one that stops gradients", () => {
  const missing = (Object.keys(OPS) as OpName[]).filter(
    (name) => withRule(name) && !OP_CASES.some((opCase) => opCase.op === name && opCase.differentiable),
  );
  expect(missing).toEqual(["stopGradient"]);
});

describe.each(OP_CASES)("$op: $title", (opCase) => {
  test("value and shape in float64", () => {
    const { graph, outputs } = caseGraph(opCase);
    verify(graph);
    expect(graph.nodes.some((node) => node.op === opCase.op) || outputs[0]?.kind === "input").toBe(true);
    const got = interpret(graph, refFeeds(opCase));
    opCase.expected.forEach((wanted, i) => {
      expect(got[`y${i}`]?.dims).toEqual(wanted.dims);
      outputs[i]?.dims.forEach((dim, axis) => {
        if (typeof dim === "number") expect(dim).toBe(wanted.dims[axis]);
      });
      expectCloseWhereDefined(got[`y${i}`]?.data ?? [], wanted.data, 1e-12);
    });
  });

  test("value and shape on onnxruntime", async () => {
    const got = await runCase(engine, caseGraph(opCase).graph, opCase);
    opCase.expected.forEach((wanted, i) => {
      expect(got[`y${i}`]?.dims).toEqual(wanted.dims);
      expectCloseWhereDefined(got[`y${i}`]?.data ?? [], wanted.data, 1e-5);
    });
  });

  if (!opCase.differentiable) return;
  test("gradients against central differences, in float64 and on onnxruntime", async () => {
    const { graph, wrt } = gradientGraph(opCase);
    verify(graph);
    expect(wrt.length).toBeGreaterThan(0);
    const feeds = refFeeds(opCase);
    const exact = interpret(graph, feeds);
    const wanted = wrt.map((value) => differences(graph, feeds, value.name ?? ""));
    wrt.forEach((value, i) => {
      expect(exact[`d${i}`]?.dims).toEqual(value.dims);
      expectClose(exact[`d${i}`]?.data ?? [], wanted[i] ?? [], 1e-7);
    });
    const single = await runCase(engine, graph, opCase);
    wrt.forEach((_, i) => {
      expectClose(single[`d${i}`]?.data ?? [], exact[`d${i}`]?.data ?? [], 1e-5);
    });
  });
});

describe("operators without a rule", () => {
  const forwardOnly = OP_CASES.filter((opCase) => !withRule(opCase.op) && !opCase.differentiable);
  test.each(forwardOnly)("$op refuses a gradient by name: $title", (opCase) => {
    const { inputs, outputs } = caseGraph(opCase);
    const [y] = outputs;
    const wrt = variables(opCase, inputs);
    if (y?.dtype !== "float32" || wrt.length === 0) return;
    expect(() => gradients(reduceSum(y, [...y.dims.keys()]), wrt)).toThrow(opCase.op);
  });
});

test("numbers of the cases stay away from the kinks", () => {
  for (const x of numbers(500)) expect(Math.abs(x * 2 - Math.round(x * 2))).toBeGreaterThan(0.02 - 1e-12);
});
