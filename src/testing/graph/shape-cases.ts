/** Cases of ops/shape.ts, ops/reduce.ts and the gather files: expectations are written out. */
import type { Dim, Value } from "../../engine/graph/ir.ts";
import * as gather from "../../engine/graph/ops/gather.ts";
import { gatherRows } from "../../engine/graph/ops/gather-rows.ts";
import * as reduce from "../../engine/graph/ops/reduce.ts";
import * as shape from "../../engine/graph/ops/shape.ts";
import { floats, ints } from "./op-case.ts";
import type { CaseInput, CaseOutput, OpCase } from "./op-case.ts";

/** 0, 1, 2 ... in a shape: the expectation then shows where each element went. */
function counting(dims: readonly number[]): CaseInput {
  return { dims, data: Array.from({ length: dims.reduce((n, dim) => n * dim, 1) }, (_, i) => i) };
}
function one(
  op: OpCase["op"],
  title: string,
  how: { x: CaseInput; build: (x: Value) => Value; expected: CaseOutput; differentiable?: boolean },
): OpCase {
  const { x, build, expected, differentiable = true } = how;
  return {
    op,
    title,
    inputs: [x],
    build: ([value]) => [build(value as Value)],
    expected: [expected],
    differentiable,
  };
}
const named = (x: CaseInput, dims: readonly Dim[]): CaseInput => ({ ...x, named: dims });

const REDUCE_CASES: readonly OpCase[] = [
  one("reduceSum", "reduceSum over the middle", {
    x: counting([2, 3, 2]),
    build: (x) => reduce.reduceSum(x, [1]),
    expected: { dims: [2, 2], data: [6, 9, 24, 27] },
  }),
  one("reduceSum", "reduceSum over two axes, kept", {
    x: counting([2, 3, 2]),
    build: (x) => reduce.reduceSum(x, [0, -1], true),
    expected: { dims: [1, 3, 1], data: [14, 22, 30] },
  }),
  one("reduceSum", "reduceSum over all", {
    x: counting([2, 3]),
    build: (x) => reduce.reduceSum(x, [0, 1]),
    expected: { dims: [], data: [15] },
  }),
  one("reduceMean", "reduceMean of the last axis", {
    x: counting([2, 4]),
    build: (x) => reduce.reduceMean(x, [-1]),
    expected: { dims: [2], data: [1.5, 5.5] },
  }),
  one("reduceMean", "reduceMean kept", {
    x: counting([2, 4]),
    build: (x) => reduce.reduceMean(x, [0], true),
    expected: { dims: [1, 4], data: [2, 3, 4, 5] },
  }),
  one("reduceMax", "reduceMax", {
    x: { dims: [2, 3], data: [-3, -1, -2, 4, 6, 5] },
    build: (x) => reduce.reduceMax(x, [1]),
    expected: { dims: [2], data: [-1, 6] },
    differentiable: false,
  }),
  one("cumSum", "cumSum", {
    x: counting([2, 3]),
    build: (x) => reduce.cumSum(x, 1),
    expected: { dims: [2, 3], data: [0, 1, 3, 3, 7, 12] },
  }),
  one("cumSum", "cumSum exclusive, from the end, first axis", {
    x: counting([3, 2]),
    build: (x) => reduce.cumSum(x, 0, { exclusive: true, reverse: true }),
    expected: { dims: [3, 2], data: [6, 8, 4, 5, 0, 0] },
  }),
];

const MOVE_CASES: readonly OpCase[] = [
  one("reshape", "reshape with -1 and 0", {
    x: counting([2, 6]),
    build: (x) => shape.reshape(x, [0, 3, -1]),
    expected: { dims: [2, 3, 2], data: counting([12]).data },
  }),
  one("reshape", "reshape of a named size, moved and copied", {
    x: named(counting([1, 3, 4]), [1, "T", 4]),
    build: (x) => shape.reshape(shape.reshape(x, ["T", 4]), ["T", 2, 2]),
    expected: { dims: [3, 2, 2], data: counting([12]).data },
    differentiable: false,
  }),
  one("reshape", "squeeze and unsqueeze", {
    x: counting([2, 1, 3]),
    build: (x) => shape.unsqueeze(shape.squeeze(x, 1), -1),
    expected: { dims: [2, 3, 1], data: counting([6]).data },
  }),
  one("transpose", "transpose of three axes", {
    x: counting([2, 3, 2]),
    build: (x) => shape.transpose(x, [2, 0, 1]),
    expected: { dims: [2, 2, 3], data: [0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11] },
  }),
  one("slice", "slice with negative bounds", {
    x: counting([2, 5]),
    build: (x) => shape.slice(x, -1, -4, -1),
    expected: { dims: [2, 3], data: [1, 2, 3, 6, 7, 8] },
  }),
  one("slice", "slice with a step", {
    x: counting([7, 2]),
    build: (x) => shape.slice(x, 0, 1, 7, 3),
    expected: { dims: [2, 2], data: [2, 3, 8, 9] },
  }),
  one("slice", "slice with a step that ends within one", {
    x: counting([7, 2]),
    build: (x) => shape.slice(x, 0, 1, 6, 3),
    expected: { dims: [2, 2], data: [2, 3, 8, 9] },
  }),
  one("slice", "slice of the end of a named size", {
    x: named(counting([5, 1]), ["T", 1]),
    build: (x) => shape.slice(x, 0, -2, Infinity),
    expected: { dims: [2, 1], data: [3, 4] },
    differentiable: false,
  }),
  {
    op: "concat",
    title: "concat of three",
    inputs: [counting([2, 1]), floats([2, 2]), counting([2, 3])],
    build: (values) => [shape.concat(values, 1)],
    expected: [{ dims: [2, 6], data: interleaved() }],
    differentiable: true,
  },
  one("expand", "expand with a new axis and a stretched one", {
    x: counting([2, 1]),
    build: (x) => shape.expand(x, [3, 2, 2]),
    expected: { dims: [3, 2, 2], data: [0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1] },
  }),
  one("expand", "expand keeps a named size", {
    x: named(counting([2, 1]), ["T", 1]),
    build: (x) => shape.expand(x, ["T", 2]),
    expected: { dims: [2, 2], data: [0, 0, 1, 1] },
    differentiable: false,
  }),
  one("tile", "tile", {
    x: counting([2, 2]),
    build: (x) => shape.tile(x, [2, 3]),
    expected: {
      dims: [4, 6],
      data: [0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3],
    },
  }),
  one("pad", "pad with a value", {
    x: counting([2, 2]),
    build: (x) => shape.pad(x, 1, 1, 2, 7),
    expected: { dims: [2, 5], data: [7, 0, 1, 7, 7, 7, 2, 3, 7, 7] },
  }),
];

function interleaved(): number[] {
  const [a = 0, b = 0, c = 0, d = 0] = floats([2, 2]).data;
  return [0, a, b, 0, 1, 2, 1, c, d, 3, 4, 5];
}

function indexed(
  op: OpCase["op"],
  title: string,
  how: { inputs: readonly CaseInput[]; build: (...inputs: Value[]) => Value; expected: CaseOutput },
): OpCase {
  const { inputs, build, expected } = how;
  return {
    op,
    title,
    inputs,
    build: (values) => [build(...values)],
    expected: [expected],
    differentiable: true,
  };
}

const GATHER_CASES: readonly OpCase[] = [
  indexed("gather", "gather rows, one of them twice", {
    inputs: [counting([3, 2]), ints([2, 2], [2, 0, 2, 1])],
    build: (x, places) => gather.gather(x, places, 0),
    expected: { dims: [2, 2, 2], data: [4, 5, 0, 1, 4, 5, 2, 3] },
  }),
  indexed("gather", "gather along the middle by int64", {
    inputs: [counting([2, 3, 2]), ints([2], [2, 2], "int64")],
    build: (x, places) => gather.gather(x, places, 1),
    expected: { dims: [2, 2, 2], data: [4, 5, 4, 5, 10, 11, 10, 11] },
  }),
  indexed("gatherElements", "gatherElements, one a row", {
    inputs: [counting([3, 4]), ints([3, 1], [1, 3, 0])],
    build: (x, places) => gather.gatherElements(x, places, 1),
    expected: { dims: [3, 1], data: [1, 7, 8] },
  }),
  indexed("gatherElements", "gatherElements, several a column with repeats", {
    inputs: [counting([3, 2]), ints([4, 2], [0, 1, 2, 1, 2, 0, 2, 2])],
    build: (x, places) => gather.gatherElements(x, places, 0),
    expected: { dims: [4, 2], data: [0, 3, 4, 3, 4, 1, 4, 5] },
  }),
  indexed("gatherRows", "gatherRows there, whose gradient is gatherRows back", {
    inputs: [counting([3, 2]), ints([3], [2, 0, 1]), ints([3], [1, 2, 0])],
    build: (x, places, back) => gatherRows(x, places, back),
    expected: { dims: [3, 2], data: [4, 5, 0, 1, 2, 3] },
  }),
  indexed("scatterElementsAdd", "scatterElementsAdd with a repeat", {
    inputs: [counting([2, 3]), ints([2, 2], [0, 0, 2, 1]), { dims: [2, 2], data: [10, 20, 30, 40] }],
    build: (x, places, updates) => gather.scatterElementsAdd(x, places, updates, 1),
    expected: { dims: [2, 3], data: [30, 1, 2, 3, 44, 35] },
  }),
  indexed("scatterNDAdd", "scatterNDAdd with a repeat", {
    inputs: [counting([3, 2]), ints([3, 1], [2, 0, 2]), { dims: [3, 2], data: [10, 20, 30, 40, 50, 60] }],
    build: (x, places, updates) => gather.scatterNDAdd(x, places, updates),
    expected: { dims: [3, 2], data: [30, 41, 2, 3, 64, 85] },
  }),
];

export const SHAPE_CASES: readonly OpCase[] = [...REDUCE_CASES, ...MOVE_CASES, ...GATHER_CASES];
