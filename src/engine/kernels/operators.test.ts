/** Every operator on the kernels, values and gradients, on every case of the registry's tables, against float64. */
import { describe, expect, test } from "vitest";
import { expectClose, expectCloseWhereDefined } from "../../testing/graph/expect-close.ts";
import { caseGraph, gradientGraph, refFeeds } from "../../testing/graph/op-case.ts";
import { OP_CASES } from "../../testing/graph/op-cases.ts";
import { runCase } from "../../testing/graph/run-case.ts";
import { interpret } from "../graph/interpreter.ts";
import { openKernelEngine } from "./kernels-node.ts";

const engine = await openKernelEngine();

// a loop is for runtimes that hold one; rollouts on the kernels go step by step
const cases = OP_CASES.filter(({ op }) => op !== "loop");

describe.each(cases)("$op: $title", (opCase) => {
  test("value and shape", async () => {
    const got = await runCase(engine, caseGraph(opCase).graph, opCase);
    opCase.expected.forEach((wanted, i) => {
      expect(got[`y${i}`]?.dims).toEqual(wanted.dims);
      expectCloseWhereDefined(got[`y${i}`]?.data ?? [], wanted.data, 1e-5);
    });
  });

  if (!opCase.differentiable) return;
  test("gradients", async () => {
    const { graph, wrt } = gradientGraph(opCase);
    const exact = interpret(graph, refFeeds(opCase));
    const got = await runCase(engine, graph, opCase);
    wrt.forEach((_, i) => {
      expectClose(got[`d${i}`]?.data ?? [], exact[`d${i}`]?.data ?? [], 1e-5);
    });
  });
});
