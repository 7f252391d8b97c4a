/** How exact the kernels' functions are over all of float32, on rows of every width, and where they must refuse. */
import { afterAll, describe, expect, it } from "vitest";
import { createRng } from "../../base/rng.ts";
import { expectInterpreted, runOn } from "../../testing/kernel-runs.ts";
import { Graph, type Value } from "../graph/ir.ts";
import { add, exp, log, mul, sigmoid, silu } from "../graph/ops/elementwise.ts";
import { gather, gatherElements } from "../graph/ops/gather.ts";
import { gemm, matMul } from "../graph/ops/linear.ts";
import { logSoftmax, rmsNorm, softmax } from "../graph/ops/nn.ts";
import { cumSum, reduceMax, reduceMean, reduceSum } from "../graph/ops/reduce.ts";
import { concat, pad, slice, transpose } from "../graph/ops/shape.ts";
import { float32, type HostTensor, int32, sizeOf } from "../graph/tensor.ts";
import { openKernelEngine } from "./kernels-node.ts";

const engines = [
  ["kernels-relaxed", await openKernelEngine("kernels-relaxed")],
  ["kernels", await openKernelEngine("kernels")],
] as const;
afterAll(() => Promise.all(engines.map(([, engine]) => engine.dispose())));

const SMALLEST_NORMAL = 2 ** -126;
const LARGEST = (2 - 2 ** -23) * 2 ** 127;

/** Every exponent of float32 with several fractions and both signs, and the neighbourhood of where e^x ends. */
const PROBES = Float32Array.from([
  ...Array.from({ length: 254 }, (_, i) => i - 126).flatMap((power) =>
    [1, 1.0000001, 1.25, 1.4142135, 1.7, 1.9999999].flatMap((x) => [x * 2 ** power, -x * 2 ** power]),
  ),
  ...Array.from({ length: 20_000 }, (_, i) => -87 + (i * 175.3) / 20_000),
  ...[-88, -87.5, -87.34, -87, 88, 88.3, 89, 90, 0, -0],
]);

const relative = (got: number, wanted: number): number => Math.abs(got / wanted - 1);

describe.each(engines)("%s", (_, engine) => {
  const one = async (build: (x: Value) => Value, data: Float32Array): Promise<number[]> => {
    const graph = new Graph("function");
    graph.output("y", build(graph.input("x", "float32", [data.length])));
    return (await runOn(engine, graph, { x: float32([data.length], data) }))["y"] ?? [];
  };

  it("e^x is right to 3e-7, nothing below -87, infinite above 88.73", async () => {
    (await one(exp, PROBES)).forEach((got, i) => {
      const x = PROBES[i] ?? NaN;
      const wanted = Math.exp(x);
      if (x < -87) expect(got).toBe(0);
      else if (wanted > LARGEST) expect(got).toBe(Infinity);
      else if (x > 88.37) expect(got === Infinity || relative(got, wanted) < 3e-7).toBe(true);
      else if (!(relative(got, wanted) < 3e-7)) expect.fail(`exp(${x}) = ${got}, not ${wanted}`);
    });
  });

  it("the logarithm is right to 3e-7 over all positive numbers", async () => {
    const positive = PROBES.map(Math.abs).filter((x) => x > 0 && x !== 1);
    (await one(log, positive)).forEach((got, i) => {
      const x = positive[i] ?? NaN;
      if (!(relative(got, Math.log(x)) < 3e-7)) expect.fail(`log(${x}) = ${got}, not ${Math.log(x)}`);
    });
    expect(await one(log, Float32Array.of(1, 0, -1, Infinity))).toEqual([0, -Infinity, NaN, Infinity]);
  });

  it("sigmoid and silu are right to 3e-7 where they are normal numbers", async () => {
    const [sigmoids, silus] = [await one(sigmoid, PROBES), await one(silu, PROBES)];
    PROBES.forEach((x, i) => {
      const wanted = 1 / (1 + Math.exp(-x));
      const [got = NaN, product = NaN] = [sigmoids[i], silus[i]];
      const inRange = x > -88 && x < 3e38;
      if (wanted >= SMALLEST_NORMAL && inRange && !(relative(got, wanted) < 4e-7))
        expect.fail(`sigmoid(${x}) = ${got}, not ${wanted}`);
      if (!inRange && x < 0) expect(got).toBeLessThan(2 * SMALLEST_NORMAL);
      if (Math.abs(x * wanted) >= SMALLEST_NORMAL && inRange && !(relative(product, x * wanted) < 5e-7))
        expect.fail(`silu(${x}) = ${product}, not ${x * wanted}`);
    });
  });

  it("what is no number stays none, in every place of a vector", async () => {
    for (let at = 0; at < 7; at++) {
      const data = new Float32Array(7).fill(0.5);
      data[at] = NaN;
      for (const build of [exp, log, sigmoid, silu, (x: Value) => mul(x, 0), (x: Value) => cumSum(x, 0)]) {
        const got = await one(build, data);
        expect(got[at]).toBeNaN();
        if (at > 0) expect(got[at - 1]).not.toBeNaN();
      }
      for (const build of [softmax, logSoftmax, (x: Value) => reduceSum(x, [0])]) {
        expect((await one(build, data)).every(Number.isNaN)).toBe(true);
      }
    }
    const [low, high, least] = await one(exp, Float32Array.of(-Infinity, Infinity, -LARGEST));
    expect([low, high, least]).toEqual([0, Infinity, 0]);
    expect(await one(sigmoid, Float32Array.of(-Infinity, Infinity))).toEqual([0, 1]);
  });

  it.each([1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17])(
    "rows of %i numbers do not touch each other",
    async (width) => {
      const rng = createRng(width, "rows");
      const random = (...dims: number[]): HostTensor =>
        float32(
          dims,
          Float32Array.from({ length: sizeOf(dims) }, () => rng.normal()),
        );
      const graph = new Graph("rows");
      const [x, y, w] = [
        graph.input("x", "float32", [6, width]),
        graph.input("y", "float32", [2, 3, width]),
        graph.input("w", "float32", [width, width]),
      ];
      const weight = graph.input("weight", "float32", [width]);
      const outputs = {
        softmax: softmax(x),
        log: logSoftmax(x),
        norm: rmsNorm(x, weight, 1e-6),
        sums: reduceSum(x, [1]),
        columns: reduceSum(x, [0]),
        middle: reduceMean(y, [1]),
        most: reduceMax(x, [1]),
        running: cumSum(x, 1),
        byRow: add(x, reduceMax(x, [1], true)),
        byColumn: mul(weight, x),
        product: gemm(x, w),
        turned: gemm(w, x, { transA: true, transB: true }),
        ours: matMul(y, w),
        each: matMul(transpose(y, [0, 2, 1]), y),
        joined: concat([x, x, slice(x, 1, 0, 1)], 1),
        padded: pad(x, 1, 1, 2, 7),
        turn: transpose(y, [2, 0, 1]),
      };
      for (const [name, value] of Object.entries(outputs)) graph.output(name, value);
      const feeds = {
        x: random(6, width),
        y: random(2, 3, width),
        w: random(width, width),
        weight: random(width),
      };
      await expectInterpreted(engine, graph, feeds);
      await expectInterpreted(engine, graph, feeds, { deviceOutputs: Object.keys(outputs) });
    },
  );

  it("a softmax gives masked places nothing, and shares alike where all are masked", async () => {
    for (const width of [1, 2, 3, 5, 7, 8, 50]) {
      const masked = Float32Array.from({ length: width }, (_, i) => (i % 3 === 0 ? i / 10 : -1e9));
      const total = masked.reduce((sum, x) => sum + (x < -1 ? 0 : Math.exp(x)), 0);
      (await one(softmax, masked)).forEach((got, i) => {
        if (i % 3 === 0) expect(relative(got, Math.exp(i / 10) / total)).toBeLessThan(1e-6);
        else expect(got).toBe(0);
      });
      const all = await one(softmax, new Float32Array(width).fill(-1e9));
      all.forEach((got) => {
        expect(relative(got, 1 / width)).toBeLessThan(1e-6);
      });
    }
    const far = await one(softmax, Float32Array.of(3e38, -3e38, 3e38));
    expect(far).toEqual([0.5, 0, 0.5]);
  });

  it.each([-1, 4, 2 ** 31 - 1, -(2 ** 31)])(
    "an index outside is refused by its number: %i",
    async (index) => {
      const x = float32(
        [4, 4],
        Float32Array.from({ length: 16 }, (_, i) => i),
      );
      const byRow = new Graph("rows");
      byRow.output("y", gather(byRow.input("x", "float32", [4, 4]), byRow.input("i", "int32", [3])));
      const byElement = new Graph("elements");
      const each = byElement.input("i", "int32", [4, 1]);
      byElement.output("y", gatherElements(byElement.input("x", "float32", [4, 4]), each, 1));
      for (const [graph, dims, good] of [
        [byRow, [3], [4, 5, 6, 7, 12, 13, 14, 15, 0, 1, 2, 3]],
        [byElement, [4, 1], [1, 7, 8, 14]],
      ] as const) {
        const session = await engine.compile(graph, { name: "pick" });
        const indices = (...list: number[]): HostTensor =>
          int32(dims, Int32Array.from(list.slice(0, sizeOf(dims))));
        await expect(session.run({ x, i: indices(1, 0, index, 2) })).rejects.toMatchObject({
          code: "session-failed",
          where: "session pick",
          message: expect.stringContaining(`index ${index} outside 0 to 3`) as string,
        });
        const { y } = await session.run({ x, i: indices(1, 3, 0, 2) });
        expect(Array.from((y as HostTensor).data, Number)).toEqual(good);
      }
    },
  );
});
