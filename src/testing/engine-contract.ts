/** What every engine must do, written once and run on each kind: onnxruntime-node, WASM, WebGPU and our own kernels. */
import { expect, test } from "vitest";
import { Graph, type Value } from "../engine/graph/ir.ts";
import { add, mul, sub } from "../engine/graph/ops/elementwise.ts";
import { matMul } from "../engine/graph/ops/linear.ts";
import { float32, type HostTensor, int32 } from "../engine/graph/tensor.ts";
import type { DeviceTensor, Engine, LoadOptions, OnnxEngine, Session } from "../engine/runtime/engine.ts";
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
const read = async (engine: Engine, tensor: DeviceTensor): Promise<number[]> =>
  onHost(await engine.download(tensor));

/** y = x W + b; `named`: the rows of x are known at the run only. */
function affineGraph(named = false): Graph {
  const { x, w, b } = AFFINE_DIMS;
  const graph = new Graph("affine");
  const input = graph.input("x", "float32", named ? ["N", x[1]] : x);
  const product = matMul(input, graph.input("w", "float32", w));
  graph.output("y", add(product, graph.input("b", "float32", b)));
  return graph;
}

const affine = (engine: Engine, options: Partial<LoadOptions> = {}): Promise<Session> =>
  engine.compile(affineGraph(), { name: "affine", ...options });

function register<E extends Engine>(open: () => Promise<E>) {
  return (name: string, body: (engine: E) => Promise<void>): void => {
    test(name, async () => {
      const engine = await open();
      try {
        await body(engine);
      } finally {
        await engine.dispose();
      }
    });
  };
}

/** What only ONNX bytes can test. */
export function testOnnxContract(open: () => Promise<OnnxEngine>): void {
  const withEngine = register(open);

  withEngine("runs a model that another writer wrote", async (engine) => {
    const session = await engine.load(affineOnnx(), { name: "affine" });
    expect(onHost((await session.run({ x: X, w: W, b: B }))["y"])).toEqual(Y);
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
    const session = await affine(engine);
    expect(onHost((await session.run({ x: X, w: W, b: B }))["y"])).toEqual(Y);
  });
}

/** Registers the tests; each opens its own engine. */
export function testEngineContract(open: () => Promise<Engine>): void {
  const withEngine = register(open);

  withEngine("computes from host and device feeds", async (engine) => {
    const session = await affine(engine);
    expect(onHost((await session.run({ x: X, w: W, b: B }))["y"])).toEqual(Y);
    const w = engine.upload(W);
    expect(onHost((await session.run({ x: X, w, b: B }))["y"])).toEqual(Y);
    expect(await read(engine, w)).toEqual(Array.from(W.data, Number));
  });

  withEngine("runs overlapping calls one after the other", async (engine) => {
    const session = await affine(engine);
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
    const session = await affine(engine, { deviceOutputs: ["y"] });
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

  withEngine("refuses every wrong feed by the session's name, and leaves nothing behind", async (engine) => {
    const session = await affine(engine, { deviceOutputs: ["y"] });
    const named = await engine.compile(affineGraph(true), { name: "affine" });
    const wrong: Record<string, HostTensor | undefined>[] = [
      { w: undefined },
      { x: undefined },
      { w: float32([2, 3], new Float32Array(6)) },
      { b: float32([2, 1], new Float32Array(2)) },
      { x: float32([2, 4], new Float32Array(8)) },
      { b: int32([2], new Int32Array(2)) },
    ];
    for (const change of wrong) {
      const all: [string, HostTensor | undefined][] = Object.entries({ x: X, w: W, b: B, ...change });
      const feeds = all.filter((entry): entry is [string, HostTensor] => entry[1] !== undefined);
      for (const each of [session, named]) {
        await expect(each.run(Object.fromEntries(feeds))).rejects.toMatchObject({
          code: "session-failed",
          where: "session affine",
        });
      }
      expect(engine.liveBuffers()).toEqual({ count: 0, bytes: 0 });
    }
    expect(onHost((await named.run({ x: X, w: W, b: B }))["y"])).toEqual(Y);
    expect(await read(engine, onDevice((await session.run({ x: X, w: W, b: B }))["y"]))).toEqual(Y);
  });

  withEngine("takes sizes from the feeds where the graph names them, from run to run", async (engine) => {
    const session = await engine.compile(affineGraph(true), { name: "affine" });
    for (const rows of [2, 1, 3, 2]) {
      const x = float32(
        [rows, 3],
        Float32Array.from({ length: 3 * rows }, (_, i) => i + 1),
      );
      const { y } = await session.run({ x, w: W, b: B });
      expect(y?.dims).toEqual([rows, 2]);
      expect(onHost(y)).toEqual([4.5, 4.5, 10.5, 10.5, 16.5, 16.5].slice(0, 2 * rows));
    }
  });

  withEngine("keeps weights with the session, in whatever order sessions end", async (engine) => {
    const weights = new Map([["w", W]]);
    const graph = (): Graph => {
      const { x, w, b } = AFFINE_DIMS;
      const made = new Graph("weighted");
      const product = matMul(made.input("x", "float32", x), made.weight("w", "float32", w));
      made.output("y", add(product, made.input("b", "float32", b)));
      return made;
    };
    const [first, second] = [
      await engine.compile(graph(), { name: "first", weights }),
      await engine.compile(graph(), { name: "second", weights }),
    ];
    expect(onHost((await first.run({ x: X, b: B }))["y"])).toEqual(Y);
    expect(onHost((await second.run({ x: X, b: B }))["y"])).toEqual(Y);
    await first.dispose();
    expect(onHost((await second.run({ x: X, b: B }))["y"])).toEqual(Y);
    await second.dispose();
    const third = await engine.compile(graph(), { name: "third", weights });
    expect(onHost((await third.run({ x: X, b: B }))["y"])).toEqual(Y);
  });

  withEngine("counts device tensors and their bytes until they are released", async (engine) => {
    expect(engine.liveBuffers()).toEqual({ count: 0, bytes: 0 });
    const session = await affine(engine, { deviceOutputs: ["y"] });
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
    const session = await affine(engine, { deviceOutputs: ["y"] });
    const y = onDevice((await session.run({ x: X, w: W, b: B }))["y"]);
    await session.dispose();
    expect(await read(engine, y)).toEqual(Y);
    engine.release(y);
    const next = await affine(engine, { name: "next" });
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
    const graph = new Graph("decay");
    const [before, factor, change] = ["p", "d", "u"].map((name) => graph.input(name, "float32", [4]));
    graph.output("q", sub(mul(before as Value, factor as Value), change as Value));
    const session = await engine.compile(graph, { name: "decay", deviceOutputs: ["q"] });
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
    const session = await affine(engine);
    const y = engine.upload(float32([4], new Float32Array(4)));
    await expect(session.run({ x: X, w: W, b: B }, { y })).rejects.toThrow(/float32 \[2, 2\].*float32 \[4\]/);
  });

  test("is of no use after its end", async () => {
    const engine = await open();
    const session = await affine(engine);
    engine.upload(W);
    await engine.dispose();
    expect(engine.liveBuffers()).toEqual({ count: 0, bytes: 0 });
    await expect(session.run({ x: X, w: W, b: B })).rejects.toMatchObject({ code: "internal" });
    expect(() => engine.upload(W)).toThrow(/disposed/);
  });
}
