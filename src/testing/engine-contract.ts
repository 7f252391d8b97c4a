/** What every engine must do, written once and run on each kind: onnxruntime-node, WASM and WebGPU. */
import { expect, test } from "vitest";
import { float32, type HostTensor } from "../engine/graph/tensor.ts";
import type { DeviceTensor, OnnxEngine } from "../engine/runtime/engine.ts";
import { AFFINE_DIMS, affineOnnx, tinyOnnx } from "./tiny-onnx.ts";

const XS = Float32Array.of(1, 2, 3, 4, 5, 6);
const X = float32(AFFINE_DIMS.x, XS);
const W = float32(AFFINE_DIMS.w, Float32Array.of(1, 0, 0, 1, 1, 1));
const B = float32(AFFINE_DIMS.b, Float32Array.of(0.5, -0.5));
/** x W + b by hand. */
const Y = [4.5, 4.5, 10.5, 10.5];

const onHost = (tensor: HostTensor | DeviceTensor | undefined): number[] => {
  if (!tensor || "device" in tensor) throw new Error("expected a host tensor");
  return Array.from(tensor.data, Number);
};
const onDevice = (tensor: HostTensor | DeviceTensor | undefined): DeviceTensor => {
  if (!tensor || !("device" in tensor)) throw new Error("expected a device tensor");
  return tensor;
};
const read = async (engine: OnnxEngine, tensor: DeviceTensor): Promise<number[]> =>
  onHost(await engine.download(tensor));

/** Registers the tests; each opens its own engine. */
export function testEngineContract(open: () => Promise<OnnxEngine>): void {
  const withEngine = (name: string, body: (engine: OnnxEngine) => Promise<void>): void => {
    test(name, async () => {
      const engine = await open();
      try {
        await body(engine);
      } finally {
        await engine.dispose();
      }
    });
  };

  withEngine("computes from host and device feeds", async (engine) => {
    const session = await engine.load(affineOnnx(), { name: "affine" });
    expect(onHost((await session.run({ x: X, w: W, b: B }))["y"])).toEqual(Y);
    const w = engine.upload(W);
    expect(onHost((await session.run({ x: X, w, b: B }))["y"])).toEqual(Y);
    expect(await read(engine, w)).toEqual(Array.from(W.data, Number));
  });

  withEngine("runs overlapping calls one after the other", async (engine) => {
    const session = await engine.load(affineOnnx(), { name: "affine" });
    const scaled = [1, 2, 3, 4, 5].map((k) =>
      float32(
        X.dims,
        XS.map((v) => v * k),
      ),
    );
    const results = await Promise.all(scaled.map((x) => session.run({ x, w: W, b: B })));
    const expected = [1, 2, 3, 4, 5].map((k) => [4 * k + 0.5, 5 * k - 0.5, 10 * k + 0.5, 11 * k - 0.5]);
    expect(results.map(({ y }) => onHost(y))).toEqual(expected);
  });

  withEngine("names the session that failed and stays usable", async (engine) => {
    const session = await engine.load(affineOnnx(), { name: "affine", deviceOutputs: ["y"] });
    const wrong = float32([2, 2], new Float32Array(4));
    const failed = session.run({ x: X, w: wrong, b: B });
    const next = session.run({ x: X, w: W, b: B });
    await expect(failed).rejects.toMatchObject({ code: "session-failed", where: "session affine" });
    expect(await read(engine, onDevice((await next)["y"]))).toEqual(Y);
    const doubled = float32(
      X.dims,
      XS.map((v) => 2 * v),
    );
    const again = await session.run({ x: doubled, w: W, b: B });
    expect(await read(engine, onDevice(again["y"]))).toEqual([8.5, 9.5, 20.5, 21.5]);
  });

  withEngine("refuses a graph it cannot read, by name", async (engine) => {
    const broken = tinyOnnx(
      [{ op: "NoSuchOperator", inputs: ["x"], outputs: ["y"] }],
      { x: [1] },
      { y: [1] },
    );
    await expect(engine.load(broken, { name: "broken" })).rejects.toMatchObject({
      code: "session-failed",
      where: "session broken",
    });
    const session = await engine.load(affineOnnx(), { name: "affine" });
    expect(onHost((await session.run({ x: X, w: W, b: B }))["y"])).toEqual(Y);
  });

  withEngine("counts device tensors and their bytes until they are released", async (engine) => {
    expect(engine.liveBuffers()).toEqual({ count: 0, bytes: 0 });
    const session = await engine.load(affineOnnx(), { name: "affine", deviceOutputs: ["y"] });
    const w = engine.upload(W);
    expect(engine.liveBuffers()).toEqual({ count: 1, bytes: 24 });
    for (let i = 0; i < 3; i++) {
      const y = onDevice((await session.run({ x: X, w, b: B }))["y"]);
      expect(engine.liveBuffers()).toEqual({ count: 2, bytes: 40 });
      expect(await read(engine, y)).toEqual(Y);
      engine.release(y);
    }
    engine.release(w);
    expect(engine.liveBuffers()).toEqual({ count: 0, bytes: 0 });
    expect(() => {
      engine.release(w);
    }).toThrow(/live tensor/);
    await expect(session.run({ x: X, w, b: B })).rejects.toMatchObject({ code: "internal" });
  });

  withEngine("keeps an output that outlives its session", async (engine) => {
    const session = await engine.load(affineOnnx(), { name: "affine", deviceOutputs: ["y"] });
    const y = onDevice((await session.run({ x: X, w: W, b: B }))["y"]);
    await session.dispose();
    expect(await read(engine, y)).toEqual(Y);
    engine.release(y);
    const next = await engine.load(affineOnnx(), { name: "next" });
    expect(onHost((await next.run({ x: X, w: W, b: B }))["y"])).toEqual(Y);
  });

  withEngine("keeps uploads apart from the caller's array", async (engine) => {
    const data = Float32Array.of(1, 2);
    const tensor = engine.upload(float32([2], data));
    data[0] = 99;
    expect(await read(engine, tensor)).toEqual([1, 2]);
  });

  withEngine("updates a bound tensor in place, run after run", async (engine) => {
    // the last node does not read p, as an in-place update on WebGPU requires
    const nodes = [
      { op: "Mul", inputs: ["p", "d"], outputs: ["pd"] },
      { op: "Sub", inputs: ["pd", "u"], outputs: ["q"] },
    ];
    const session = await engine.load(tinyOnnx(nodes, { p: [4], d: [4], u: [4] }, { q: [4] }), {
      name: "decay",
      deviceOutputs: ["q"],
    });
    const p = engine.upload(float32([4], Float32Array.of(8, 16, 24, 32)));
    const d = float32([4], Float32Array.of(0.5, 0.5, 0.5, 0.5));
    const u = float32([4], Float32Array.of(0, 1, 2, 3));
    for (let i = 0; i < 2; i++) {
      const { q } = await session.run({ p, d, u }, { q: p });
      expect(q).toBe(p);
    }
    expect(await read(engine, p)).toEqual([2, 2.5, 3, 3.5]);
    expect(engine.liveBuffers().count).toBe(1);
  });

  withEngine("refuses to bind a tensor of another shape", async (engine) => {
    const session = await engine.load(affineOnnx(), { name: "affine" });
    const y = engine.upload(float32([4], new Float32Array(4)));
    await expect(session.run({ x: X, w: W, b: B }, { y })).rejects.toThrow(/float32 \[2, 2\].*float32 \[4\]/);
  });

  test("is of no use after its end", async () => {
    const engine = await open();
    const session = await engine.load(affineOnnx(), { name: "affine" });
    engine.upload(W);
    await engine.dispose();
    expect(engine.liveBuffers()).toEqual({ count: 0, bytes: 0 });
    await expect(session.run({ x: X, w: W, b: B })).rejects.toMatchObject({ code: "internal" });
    expect(() => engine.upload(W)).toThrow(/disposed/);
  });
}
