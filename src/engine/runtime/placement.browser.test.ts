/** A graph for the GPU stays there: the provider's own log says where each node went. */
import { expect, test } from "vitest";
import { listenForPlacements } from "../../testing/placement.ts";
import { affineOnnx, tinyOnnx } from "../../testing/tiny-onnx.ts";
import { openBrowserEngine } from "./ort-browser.ts";

test("reads placements, on the GPU and beside it", async () => {
  const placements = listenForPlacements();
  const engine = await openBrowserEngine("webgpu", { verbose: true });
  await engine.load(affineOnnx(), { name: "affine" });
  expect(placements.take()).toEqual([{ WebGpuExecutionProvider: 1 }]); // MatMul and Add become one Gemm
  const mixed = [
    { op: "LogSoftmax", inputs: ["x"], outputs: ["l"] },
    { op: "Exp", inputs: ["l"], outputs: ["y"] },
  ];
  await engine.load(tinyOnnx(mixed, { x: [2, 3] }, { y: [2, 3] }), { name: "mixed" });
  expect(placements.take()[0]).toHaveProperty("CPUExecutionProvider");
  await engine.dispose();
});
