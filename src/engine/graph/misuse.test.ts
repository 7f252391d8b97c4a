/** Misuse is refused where it happens, with the operator, the types and the shapes. */
import { describe, expect, test } from "vitest";
import { PlaygroundError } from "../../base/errors.ts";
import { addDims } from "./dims.ts";
import { interpret } from "./interpreter.ts";
import { Graph } from "./ir.ts";
import type { Value } from "./ir.ts";
import { groupQueryAttention } from "./ops/attention.ts";
import { loop } from "./ops/control.ts";
import { add, clip, div, exp } from "./ops/elementwise.ts";
import { gather, gatherElements, scatterNDAdd } from "./ops/gather.ts";
import { gemm, linear, matMul } from "./ops/linear.ts";
import { cast, where } from "./ops/logic.ts";
import { rmsNorm, rotary } from "./ops/nn.ts";
import { reduceSum } from "./ops/reduce.ts";
import { topK } from "./ops/search.ts";
import { concat, expand, reshape, slice, transpose } from "./ops/shape.ts";

const graph = new Graph("misuse");
const x = graph.input("x", "float32", [2, 3], ["B", "D"]);
const y = graph.input("y", "float32", [4]);
const ids = graph.input("ids", "int32", [2]);
const named = graph.input("named", "float32", ["B", "T", 4]);
const heads = graph.input("heads", "float32", [1, 1, 12]);
const one = graph.input("one", "int32", [1]);

const MISUSES: readonly (readonly [what: string, build: () => unknown, message: string])[] = [
  [
    "shapes that do not broadcast",
    () => add(x, y),
    "add in graph misuse: expected shapes that broadcast, got x float32 [B=2, D=3] and y float32 [4]",
  ],
  ["two types", () => add(x, ids), "two number tensors of one type"],
  ["a division of integers", () => div(ids, ids), "expected float32, got ids int32 [2]"],
  ["exp of integers", () => exp(ids), "exp in graph misuse: expected float32"],
  ["an empty clip", () => clip(x, 1, 0), "min <= max"],
  ["a condition that is no bool", () => where(ids, x, x), "a bool and two tensors of one type"],
  ["an axis outside", () => reduceSum(x, [2]), "an axis within rank 2, not 2"],
  ["a reshape of another count", () => reshape(x, [4, 2]), "as many elements as [4, 2]"],
  ["a reshape that does not divide", () => reshape(x, [4, -1]), "as many elements as [4, -1]"],
  ["two named sizes that move", () => reshape(named, [1, "B", "T", 4]), "at most one named size"],
  ["no permutation", () => transpose(x, [0, 0]), "a permutation of its axes, not [0, 0]"],
  ["a step backwards", () => slice(x, 0, 0, 2, -1), "a step of at least 1"],
  ["a concat of other sizes", () => concat([x, reshape(x, [3, 2])], 0), "tensors that differ on axis 0 only"],
  ["an expand of other sizes", () => expand(x, [2, 4]), "a shape that broadcasts to [2, 4]"],
  ["float indices", () => gather(x, y, 0), "int32 or int64"],
  [
    "indices of another shape",
    () => gatherElements(x, ids, 1),
    "indices of the tensor's shape but for axis 1",
  ],
  ["flat scatter indices", () => scatterNDAdd(x, ids, x), "indices [..., 1]"],
  ["a product that does not chain", () => matMul(x, x), "[..., M, K] and [..., K, N]"],
  ["a gemm that does not chain", () => gemm(x, x), "two matrices that chain"],
  ["a linear on other columns", () => linear(x, reshape(x, [3, 2])), "w [out, in]"],
  ["a norm's weight of other size", () => rmsNorm(x, y, 1e-6), "x [..., D] and weight [D]"],
  ["a rotation of a matrix", () => rotary(x, ids, x, x), "positions [B, T]"],
  ["more than there is", () => topK(x, 4), "k = 4"],
  [
    "heads of a size that no kernel takes",
    () =>
      groupQueryAttention({
        query: heads,
        key: heads,
        value: heads,
        seqLensK: one,
        totalSequenceLength: one,
        heads: 1,
        kvHeads: 1,
      }),
    "Dh a multiple of 8",
  ],
  [
    "a carried shape that changes unnamed",
    () =>
      loop({ maxTrips: 2, carried: [y], body: (_, [now]) => ({ carried: [concat([now as Value, y], 0)] }) }),
    "see carriedDims",
  ],
  [
    "a loop that stops by a float",
    () =>
      loop({
        maxTrips: 2,
        carried: [y],
        body: (_, [now]) => ({ condition: reduceSum(now as Value, [0]), carried: [now as Value] }),
      }),
    "a bool scalar",
  ],
  ["axis names that do not count", () => graph.input("z", "float32", [2], ["A", "B"]), "1 axis names"],
  ["a constant of another count", () => graph.constant("float32", [3], [1]), "3 numbers, got 1 numbers"],
];

test.each(MISUSES)("%s", (_, build, message) => {
  let error: unknown;
  try {
    build();
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(PlaygroundError);
  expect(error).toMatchObject({ code: "graph-invalid" });
  expect((error as PlaygroundError).message).toContain(message);
});

describe("named sizes", () => {
  test("add up as sums", () => {
    expect(addDims("T", 2)).toBe("T+2");
    expect(addDims("T+2", -2)).toBe("T");
    expect(addDims("T-1", "S+3")).toBe("T+S+2");
    expect(addDims(2, "T")).toBe("T+2");
    expect(addDims(2, 3)).toBe(5);
  });

  test("are read off the feeds and must agree", () => {
    const small = new Graph("feeds");
    const a = small.input("a", "float32", ["T", 2]);
    const b = small.input("b", "float32", ["T", 1]);
    small.output("sum", add(a, b));
    small.output("whole", cast(a, "int32"));
    const got = interpret(small, { a: [1, 2, 3, 4], b: [10, 20] });
    expect(got["sum"]).toEqual({ dims: [2, 2], data: Float64Array.of(11, 12, 23, 24) });
    expect(() => interpret(small, { a: [1, 2, 3, 4], b: [1] })).toThrow(
      "feed b of graph feeds: expected float32 [T, 1]",
    );
    expect(() => interpret(small, { a: { dims: [1, 4], data: [1, 2, 3, 4] }, b: [1] })).toThrow(
      "4 numbers as [1, 4]",
    );
    expect(() => interpret(small, { a: [1, 2] })).toThrow("feed b of graph feeds");
  });
});
