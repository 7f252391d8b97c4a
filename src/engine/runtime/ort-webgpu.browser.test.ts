/** The engine contract on WebGPU, here on a software adapter. */
import { describe, expect, test, vi } from "vitest";
import { testEngineContract, testOnnxContract } from "../../testing/engine-contract.ts";
import { affineOnnx, tinyOnnx } from "../../testing/tiny-onnx.ts";
import { float32 } from "../graph/tensor.ts";
import { describeMachine, openGpu } from "./device.ts";
import { openBrowserEngine } from "./ort-browser.ts";

const feeds = {
  x: float32([2, 3], Float32Array.of(1, 2, 3, 4, 5, 6)),
  w: float32([3, 2], Float32Array.of(1, 0, 0, 1, 1, 1)),
  b: float32([2], Float32Array.of(0.5, -0.5)),
};

describe("engine on WebGPU", () => {
  testEngineContract(() => openBrowserEngine("webgpu"));
  testOnnxContract(() => openBrowserEngine("webgpu"));

  test("says what it is, and that a software adapter is one", async () => {
    const machine = await describeMachine();
    expect(machine.gpu?.software).toBe(true);
    const engine = await openBrowserEngine("webgpu");
    expect(engine.info).toMatchObject({ kind: "webgpu", software: true, adapter: machine.gpu?.description });
    await engine.dispose();
  });

  test("says so when the device is lost, and a new engine works", async () => {
    const request = vi.spyOn(GPUAdapter.prototype, "requestDevice");
    const engine = await openBrowserEngine("webgpu");
    const device = await (request.mock.results[0]?.value as Promise<GPUDevice>);
    request.mockRestore();
    const session = await engine.load(affineOnnx(), { name: "affine", deviceOutputs: ["y"] });
    const kept = engine.upload(feeds.x);
    device.destroy();
    await expect(session.run(feeds)).rejects.toMatchObject({ code: "webgpu-lost" });
    await expect(session.run(feeds)).rejects.toMatchObject({ code: "webgpu-lost" });
    await expect(engine.download(kept)).rejects.toMatchObject({ code: "webgpu-lost" });
    expect(() => engine.upload(feeds.x)).toThrow(/device to stay/);
    await engine.dispose();

    const fresh = await openBrowserEngine("webgpu");
    const { y } = await (await fresh.load(affineOnnx(), { name: "affine" })).run(feeds);
    expect(y).toMatchObject({ dims: [2, 2], data: Float32Array.of(4.5, 4.5, 10.5, 10.5) });
    await fresh.dispose();
  });

  test("turns a GPU validation error into a failure instead of a number", async () => {
    const engine = await openBrowserEngine("webgpu");
    const add = tinyOnnx([{ op: "Add", inputs: ["p", "u"], outputs: ["q"] }], { p: [4], u: [4] }, { q: [4] });
    const session = await engine.load(add, { name: "alias" });
    const p = engine.upload(float32([4], Float32Array.of(1, 2, 3, 4)));
    const failing = async (): Promise<void> => {
      await session.run({ p, u: p }, { q: p }); // one dispatch reads and writes p
      await engine.download(p);
    };
    await expect(failing()).rejects.toMatchObject({ code: "session-failed" });
    await engine.dispose();
  });

  test("holds no more GPU buffers after many runs than after one", async () => {
    const made = vi.spyOn(GPUDevice.prototype, "createBuffer");
    const destroyed = vi.spyOn(GPUBuffer.prototype, "destroy");
    const alive = (): number => made.mock.results.length - new Set(destroyed.mock.contexts).size;
    const engine = await openBrowserEngine("webgpu");
    const session = await engine.load(affineOnnx(), { name: "affine", deviceOutputs: ["y"] });
    const afterRuns: number[] = [];
    for (let i = 0; i < 8; i++) {
      const { y } = await session.run(feeds);
      if (y && "device" in y) engine.release(y);
      await engine.load(affineOnnx(), { name: "after" }).then((next) => next.dispose()); // lets the release pass
      afterRuns.push(alive());
    }
    expect(new Set(afterRuns.slice(1)).size).toBe(1);
    await engine.dispose();
    vi.restoreAllMocks();
  });

  test("refuses a model that the adapter's limits cannot hold", async () => {
    await expect(openGpu(2 ** 50)).rejects.toMatchObject({ code: "webgpu-limits" });
  });
});
