/**
 * What the schedule decides, held to the float64 interpreter: products that add into a sum's other term, views, outputs
 * that lie in something else, memory that is used again, and graphs drawn at random.
 */
import { afterAll, describe, expect, it } from "vitest";
import { defined } from "../../base/assert.ts";
import { createRng, type Rng } from "../../base/rng.ts";
import { expectInterpreted, type Feeds, runOn } from "../../testing/kernel-runs.ts";
import { Graph, type Value } from "../graph/ir.ts";
import { add, mul, neg, sub } from "../graph/ops/elementwise.ts";
import { gemm, matMul } from "../graph/ops/linear.ts";
import { softmax } from "../graph/ops/nn.ts";
import { reduceSum } from "../graph/ops/reduce.ts";
import { concat, reshape, slice, transpose } from "../graph/ops/shape.ts";
import { float32, type HostTensor, sizeOf } from "../graph/tensor.ts";
import { openKernelEngine } from "./kernels-node.ts";

const engine = await openKernelEngine();
afterAll(() => engine.dispose());

const rng = createRng(9, "schedule");
const random = (dims: readonly number[], from: Rng = rng): HostTensor =>
  float32(
    dims,
    Float32Array.from({ length: sizeOf(dims) }, () => from.normal()),
  );

/** x [5, 12], w and v [12, 12] and what `build` makes of them. */
async function expectSquare(
  build: (graph: Graph, x: Value, w: Value, v: Value) => Readonly<Record<string, Value>>,
  options: { readonly deviceOutputs?: readonly string[]; readonly asWeights?: boolean } = {},
): Promise<Record<string, number[]>> {
  const { asWeights = false, ...rest } = options;
  const graph = new Graph("square");
  const feeds: Feeds = { x: random([5, 12]), w: random([12, 12]), v: random([12, 12]) };
  const x = graph.input("x", "float32", [5, 12]);
  const [w, v] = ["w", "v"].map((name) =>
    asWeights ? graph.weight(name, "float32", [12, 12]) : graph.input(name, "float32", [12, 12]),
  );
  const outputs = build(graph, x, defined(w, "w"), defined(v, "v"));
  for (const [name, value] of Object.entries(outputs)) graph.output(name, value);
  const weights = new Map(["w", "v"].map((name) => [name, defined(feeds[name], name)]));
  return expectInterpreted(engine, graph, feeds, asWeights ? { ...rest, weights } : rest);
}

describe("a product that is a term of a sum", () => {
  it("does not add into what it reads itself", async () => {
    await expectSquare((_, x, w) => {
      const h = neg(x);
      return { y: add(h, gemm(h, w)) };
    });
    await expectSquare((_, x, w) => {
      const h = neg(x);
      return { y: add(gemm(reshape(reshape(h, [60]), [5, 12]), w), h) };
    });
    await expectSquare((_, x, w) => {
      const h = gemm(w, x, { transB: true }); // [6, 5]
      return { y: add(gemm(w, h), h) };
    });
  });

  it("does not add into an input, a weight or a constant", async () => {
    const build = (graph: Graph, x: Value, w: Value, v: Value) => ({
      a: add(x, gemm(neg(x), w)),
      b: add(w, gemm(v, w)),
      c: add(graph.constant("float32", [5, 12], random([5, 12]).data), gemm(x, v)),
    });
    await expectSquare(build);
    await expectSquare(build, { asWeights: true });
    const graph = new Graph("twice");
    const x = graph.input("x", "float32", [5, 12]);
    graph.output("y", add(x, gemm(neg(x), graph.input("w", "float32", [12, 12]))));
    const session = await engine.compile(graph, { name: "twice" });
    const held = engine.upload(random([5, 12]));
    const before = await engine.download(held);
    const w = random([12, 12]);
    const [first, second] = [await session.run({ x: held, w }), await session.run({ x: held, w })];
    expect(second).toEqual(first);
    expect(await engine.download(held)).toEqual(before);
    engine.release(held);
  });

  it("adds to its term, from either side, one or several deep", async () => {
    await expectSquare((_, x, w, v) => ({ y: add(neg(x), gemm(x, w)), z: add(gemm(x, v), neg(neg(x))) }));
    await expectSquare((_, x, w, v) => ({
      y: add(add(add(neg(x), gemm(x, w)), gemm(x, v)), gemm(x, x0(w, v))),
    }));
    await expectSquare((_, x, w, v) => ({ y: neg(add(gemm(x, w), gemm(x, v))) }), { asWeights: true });
    await expectSquare((_, x, w, v) => ({
      y: add(matMul(reshape(neg(x), [1, 5, 12]), w), matMul(reshape(x, [1, 5, 12]), v)),
    }));
    await expectSquare((_, x, w) => {
      const product = gemm(x, w);
      return { y: add(product, product) };
    });
  });

  it("reads its sides as they were, where one was added to in between", async () => {
    await expectSquare((_, x, w, v) => {
      const h = neg(x);
      const late = gemm(h, w); // reads h before h's memory becomes the sum
      const grown = add(h, gemm(x, v));
      return { y: add(neg(grown), late), z: grown };
    });
    await expectSquare((_, x, w, v) => {
      const h = neg(x);
      const term = mul(x, 3);
      const grown = add(h, gemm(x, v));
      return { y: add(term, gemm(grown, w)), z: neg(grown) }; // reads the sum
    });
    await expectSquare((_, x, w, v) => {
      const [h, k] = [neg(x), mul(x, 2)];
      const [p, q] = [gemm(k, w), gemm(h, v)]; // each into what the other reads
      return { y: neg(add(h, p)), z: neg(add(k, q)) };
    });
  });

  it("leaves alone what is read again later", async () => {
    await expectSquare((_, x, w) => {
      const h = neg(x);
      const sum = add(h, gemm(x, w));
      return { y: mul(sum, h), z: neg(sum) };
    });
    await expectSquare((_, x, w) => {
      const h = neg(x);
      const product = gemm(x, w);
      return { y: mul(add(h, product), product) };
    });
    await expectSquare((_, x, w) => {
      const h = neg(x);
      const view = reshape(h, [60]);
      const sum = add(h, gemm(x, w));
      return { y: add(reshape(sum, [60]), mul(view, view)) };
    });
  });

  it("leaves alone a term of another size, and an output", async () => {
    await expectSquare((_, x, w) => ({ y: add(slice(neg(x), 0, 0, 1), gemm(x, w)) }));
    await expectSquare((_, x, w) => {
      const wide = concat([neg(x), x], 0);
      return { y: add(slice(wide, 0, 0, 5), gemm(x, w)), z: neg(wide) };
    });
    const h = (x: Value): Value => neg(x);
    for (const deviceOutputs of [[], ["h"], ["y"], ["h", "y"]]) {
      await expectSquare(
        (_, x, w) => {
          const value = h(x);
          return { h: value, y: add(value, gemm(x, w)) };
        },
        { deviceOutputs },
      );
    }
  });
});

const x0 = (w: Value, v: Value): Value => sub(w, v);

describe("an output", () => {
  const names = ["y", "again", "view", "part", "input", "weight", "constant"];
  it.each([[[]], [names], [["view"]], [["y", "part"]], [["input", "constant"]]])(
    "may be an input, a weight, a constant, a view or another's twin, with %j on the device",
    async (deviceOutputs) => {
      for (const asWeights of [false, true]) {
        const got = await expectSquare(
          (graph, x, w, v) => {
            const y = gemm(mul(x, 2), v);
            return {
              ...{ y, again: y, view: reshape(y, [60]), part: slice(y, 0, 3, 5), input: x, weight: w },
              constant: graph.constant("float32", [2], [4, 5]),
            };
          },
          { deviceOutputs, asWeights },
        );
        expect(Object.keys(got)).toEqual(names);
      }
      expect(engine.liveBuffers().count).toBe(0);
    },
  );

  it("that is bound is written where it lies, a sum's too, and the rest stays as it was", async () => {
    const graph = new Graph("bound");
    const x = graph.input("x", "float32", [5, 12]);
    const w = graph.input("w", "float32", [12, 12]);
    graph.output("sum", add(neg(x), gemm(x, w)));
    graph.output("view", reshape(neg(x), [60]));
    const feeds = { x: random([5, 12]), w: random([12, 12]) };
    const wanted = await runOn(engine, graph, feeds);
    const session = await engine.compile(graph, { name: "bound" });
    const [sum, view] = [engine.upload(random([5, 12])), engine.upload(random([60]))];
    const out = await session.run(feeds, { sum, view });
    expect(out).toEqual({ sum, view });
    expect([...(await engine.download(sum)).data].map(Number)).toEqual(wanted["sum"]);
    expect([...(await engine.download(view)).data].map(Number)).toEqual(wanted["view"]);
    [sum, view].forEach((tensor) => {
      engine.release(tensor);
    });
  });
});

it("keeps a schedule for each of ten sizes, and comes back to the first", async () => {
  const graph = new Graph("named");
  const x = graph.input("x", "float32", ["N", 6]);
  const w = graph.input("w", "float32", [6, 3]);
  graph.output("y", softmax(matMul(add(x, x), w)));
  const session = await engine.compile(graph, { name: "named" });
  const weight = random([6, 3]);
  for (const N of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 5]) {
    const feeds = { x: random([N, 6]), w: weight };
    const { y } = await session.run(feeds);
    expect(y?.dims).toEqual([N, 3]);
    const again = new Graph("fixed");
    const own = again.input("x", "float32", [N, 6]);
    again.output("y", softmax(matMul(add(own, own), again.input("w", "float32", [6, 3]))));
    expect([...((y as HostTensor).data as Float32Array)]).toEqual(
      (await expectInterpreted(engine, again, feeds))["y"],
    );
  }
});

/** Two axes turned round, split or joined. */
function moved(value: Value, from: Rng): Value {
  const [rows = 1, columns = 1] = value.dims as readonly number[];
  switch (from.below(5)) {
    case 0:
      return transpose(value, [1, 0]);
    case 1:
      return reshape(value, [columns, rows]);
    case 2:
      return slice(value, 0, from.below(rows), rows);
    case 3:
      return slice(value, 1, from.below(columns), columns);
    default:
      return reshape(transpose(reshape(value, [1, rows, columns]), [0, 2, 1]), [columns, rows]);
  }
}

/** Their sum, where they are of one shape. */
const sumWith = (value: Value, product: Value): Value =>
  value.dims.join() === product.dims.join() ? add(neg(value), product) : product;

/** A chain of operators over a pool of matrices, whose entries stay near 1. */
function randomGraph(seed: number): { readonly graph: Graph; readonly feeds: Feeds } {
  const from = createRng(seed, "random graph");
  const graph = new Graph(`random ${seed}`);
  const feeds: Record<string, HostTensor> = {};
  const fresh = (rows: number, columns: number): Value => {
    const name = `x${Object.keys(feeds).length}`;
    feeds[name] = random([rows, columns], from);
    return graph.input(name, "float32", [rows, columns]);
  };
  const size = (): number => 1 + from.below(9);
  const pool = [fresh(size(), size()), fresh(size(), size())];
  const pick = (): Value => pool[from.below(pool.length)] as Value;
  const like = (value: Value): Value => {
    const same = pool.filter((other) => other.dims.join() === value.dims.join());
    if (same.length > 0 && from.next() < 0.8) return same[from.below(same.length)] as Value;
    const [rows, columns] = value.dims as [number, number];
    return fresh(from.next() < 0.2 ? 1 : rows, from.next() < 0.2 ? 1 : columns);
  };
  const product = (value: Value): Value => {
    const [rows = 1, columns = 1] = value.dims as readonly number[];
    const square = from.next() < 0.5;
    const out = square ? columns : size();
    const scaled = (dims: readonly [number, number]): Value => mul(fresh(...dims), 1 / Math.sqrt(columns));
    if (from.next() < 0.3) return gemm(value, scaled([rows, out]), { transA: true });
    return from.next() < 0.5
      ? gemm(value, scaled([out, columns]), { transB: true })
      : gemm(value, scaled([columns, out]));
  };
  for (let i = 0; i < 14; i++) {
    const value = pick();
    const kinds = [
      () => product(value),
      () => sumWith(value, product(value)),
      () => sumWith(value, product(pick())),
      () => add(like(value), value),
      () => mul(like(value), value),
      () => moved(value, from),
      () => softmax(value),
      () => add(value, reduceSum(mul(value, 0.1), [from.below(2)], true)),
    ];
    pool.push((kinds[from.below(kinds.length)] as () => Value)());
  }
  const outputs = new Set([pool.at(-1) ?? pick(), pick(), pick()]);
  [...outputs].forEach((value, i) => {
    graph.output(`y${i}`, value);
  });
  return { graph, feeds };
}

it("runs 200 random graphs as the float64 interpreter does", async () => {
  for (let seed = 0; seed < 200; seed++) {
    const { graph, feeds } = randomGraph(seed);
    const deviceOutputs = seed % 2 === 0 ? [] : ["y0", "y1"];
    await expectInterpreted(engine, graph, feeds, { deviceOutputs, tolerance: 1e-4 });
  }
  expect(engine.liveBuffers().count).toBe(0);
});
