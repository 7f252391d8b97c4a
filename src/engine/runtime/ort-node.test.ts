/** The engine contract on onnxruntime-node. */
import { describe, expect, test } from "vitest";
import { Graph } from "../graph/ir.ts";
import { add } from "../graph/ops/elementwise.ts";
import { float32, type HostTensor } from "../graph/tensor.ts";
import { testEngineContract, testOnnxContract } from "../../testing/engine-contract.ts";
import { openNodeEngine } from "./ort-node.ts";

describe("engine on onnxruntime-node", () => {
  testEngineContract(() => Promise.resolve(openNodeEngine(1)));
  testOnnxContract(() => Promise.resolve(openNodeEngine(1)));

  test("says what it is", async () => {
    const engine = openNodeEngine(2);
    expect(engine.info).toEqual({ kind: "cpu", threads: 2, adapter: null, software: false });
    await engine.dispose();
  });

  test("keeps no result of a run alive", async () => {
    const n = 1_000_000; // 4 MB a run
    const graph = new Graph("add");
    graph.output("y", add(graph.input("x", "float32", [n]), 1));
    const engine = openNodeEngine(1);
    const session = await engine.compile(graph, { name: "add" });
    let x: HostTensor = float32([n], new Float32Array(n));
    const run = async (times: number): Promise<void> => {
      for (let i = 0; i < times; i++) x = (await session.run({ x }))["y"] as HostTensor;
    };
    await run(50);
    const before = process.memoryUsage.rss();
    await run(250);
    expect(x.data[0]).toBe(300);
    expect(process.memoryUsage.rss() - before).toBeLessThan(400e6); // all 250 together are 1 GB
    await engine.dispose();
  });
});
