/** The engine contract on our own kernels, on both builds of the module. */
import { describe, expect, test } from "vitest";
import { testEngineContract } from "../../testing/engine-contract.ts";
import { Graph } from "../graph/ir.ts";
import { mul } from "../graph/ops/elementwise.ts";
import { linear } from "../graph/ops/linear.ts";
import { float32, type HostTensor } from "../graph/tensor.ts";
import type { DeviceTensor } from "../runtime/engine.ts";
import { openKernelEngine } from "./kernels-node.ts";

describe.each(["kernels-relaxed", "kernels"] as const)("engine on %s", (build) => {
  testEngineContract(() => openKernelEngine(build));

  test("says what it is", async () => {
    const engine = await openKernelEngine(build);
    expect(engine.info).toEqual({ kind: "kernels", threads: 1, adapter: null, software: false });
    await engine.dispose();
  });
});

describe("weights that each run brings", () => {
  const product = (): Graph => {
    const graph = new Graph("product");
    const x = graph.input("x", "float32", [2, 3]);
    graph.output("y", linear(x, graph.weight("w", "float32", [4, 3])));
    return graph;
  };
  const twice = (): Graph => {
    const graph = new Graph("twice");
    graph.output("next", mul(graph.weight("w", "float32", [4, 3]), 2));
    return graph;
  };
  const x = float32([2, 3], Float32Array.of(1, 2, 3, 4, 5, 6));
  const w = float32([4, 3], Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1));
  const first = [1, 2, 3, 6, 4, 5, 6, 15];

  test("are packed anew after they were written, and after another takes their place", async () => {
    const engine = await openKernelEngine();
    const session = await engine.compile(product(), { name: "product" });
    const change = await engine.compile(twice(), { name: "twice" });
    const values = async (feed: HostTensor | DeviceTensor) => [
      ...((await session.run({ x, w: feed }))["y"] as HostTensor).data,
    ];
    const held = engine.upload(w);
    expect(await values(held)).toEqual(first);
    await change.run({ w: held }, { next: held });
    expect(await values(held)).toEqual(first.map((value) => 2 * value));
    engine.release(held);
    expect(await values(engine.upload(w))).toEqual(first);
    expect(await values(w)).toEqual(first);
    await engine.dispose();
  });

  test("leave nothing behind when they are released", async () => {
    const engine = await openKernelEngine();
    const session = await engine.compile(product(), { name: "product" });
    const addresses = new Set<number>();
    for (let i = 0; i < 50; i++) {
      const held = engine.upload(w);
      await session.run({ x, w: held });
      addresses.add((engine as unknown as { addressOf(tensor: DeviceTensor): number }).addressOf(held));
      engine.release(held);
    }
    expect(addresses.size).toBeLessThan(4); // the same blocks are taken again
    await engine.dispose();
  });
});
