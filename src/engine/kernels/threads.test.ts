/** Several threads give the same numbers to the last bit as one, on every kernel; helpers sleep, wake and leave. */
import { describe, expect, it } from "vitest";
import { everyKernel } from "../../testing/every-kernel.ts";
import { expectInterpreted, runOn } from "../../testing/kernel-runs.ts";
import { Graph } from "../graph/ir.ts";
import { exp } from "../graph/ops/elementwise.ts";
import { float32 } from "../graph/tensor.ts";
import type { Engine } from "../runtime/engine.ts";
import { openKernelEngine } from "./kernels-node.ts";
import type { Kernels } from "./module.ts";

const kernelsOf = (engine: Engine): Kernels => (engine as unknown as { kernels: Kernels }).kernels;

/** A helper needs a moment until it is awake: the run is repeated until it has computed something. */
async function untilHelped(engine: Engine, run: () => Promise<void>): Promise<void> {
  const until = Date.now() + 20_000;
  do await run();
  while (kernelsOf(engine).helpedPieces() === 0 && Date.now() < until);
  expect(kernelsOf(engine).helpedPieces()).toBeGreaterThan(0);
}

describe.each(["kernels-relaxed", "kernels"] as const)("%s", (build) => {
  it.each([2, 3, 4])(
    "gives the same bits on %i threads as on one, whoever computes a piece",
    async (threads) => {
      const [one, several] = [await openKernelEngine(build), await openKernelEngine(build, threads)];
      expect(several.info).toEqual({ kind: "kernels", threads, adapter: null, software: false });
      const { graph, feeds } = everyKernel(threads);
      const wanted = await runOn(one, graph, feeds);
      for (let i = 0; i < 5; i++) {
        await untilHelped(several, async () => {
          const got = await runOn(several, graph, feeds);
          for (const [name, numbers] of Object.entries(wanted)) {
            const differs = got[name]?.findIndex((x, at) => !Object.is(x, numbers[at]));
            if (differs !== -1) expect.fail(`${name}[${differs}] of ${numbers.length}`);
          }
        });
      }
      await Promise.all([one.dispose(), several.dispose()]);
    },
  );
});

it("computes what the interpreter does", async () => {
  const engine = await openKernelEngine("kernels-relaxed", 2);
  const { graph, feeds } = everyKernel(1);
  await expectInterpreted(engine, graph, feeds, { tolerance: 1e-4 });
  await engine.dispose();
});

it("sleeps between runs and wakes for the next", async () => {
  const engine = await openKernelEngine("kernels-relaxed", 2);
  const graph = new Graph("exp");
  graph.output("y", exp(graph.input("x", "float32", [400_000])));
  const feeds = { x: float32([400_000], new Float32Array(400_000).fill(1)) };
  for (let i = 0; i < 3; i++) {
    const before = kernelsOf(engine).helpedPieces();
    const until = Date.now() + 20_000;
    do await runOn(engine, graph, feeds);
    while (kernelsOf(engine).helpedPieces() === before && Date.now() < until);
    expect(kernelsOf(engine).helpedPieces()).toBeGreaterThan(before);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await engine.dispose();
});

it("goes on alone when its helpers have left", async () => {
  const engine = await openKernelEngine("kernels-relaxed", 3);
  kernelsOf(engine).dismiss();
  const { graph, feeds } = everyKernel(2);
  await expectInterpreted(engine, graph, feeds, { tolerance: 1e-4 });
  await engine.dispose();
});
