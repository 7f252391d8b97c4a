/** Cases of ops/elementwise.ts and ops/logic.ts. */
import type { OpName, Value } from "../../engine/graph/ir.ts";
import * as elementwise from "../../engine/graph/ops/elementwise.ts";
import * as logic from "../../engine/graph/ops/logic.ts";
import { floats, ints, positives } from "./op-case.ts";
import type { CaseInput, OpCase } from "./op-case.ts";

function unary(
  op: OpName,
  build: (x: Value) => Value,
  f: (x: number) => number,
  x: CaseInput = floats([2, 3], 3), // both signs
): OpCase {
  return {
    op,
    title: op,
    inputs: [x],
    build: ([value]) => [build(value as Value)],
    expected: [{ dims: x.dims, data: x.data.map(f) }],
    differentiable: op !== "stopGradient",
  };
}

type BinaryBuild = (a: Value, b: Value) => Value;

/** a [2, 3] of both signs and sizes with b [3] (rows repeat), and the scalar forms. */
function binary(
  op: OpName,
  build: BinaryBuild,
  f: (a: number, b: number) => number,
  seeds = [5, 2],
): OpCase[] {
  const a = floats([2, 3], seeds[0]);
  const b = positives([3], seeds[1]);
  const c = positives([2, 1, 3], seeds[1]);
  const at = (x: CaseInput, i: number): number => x.data[i] ?? NaN;
  const rows = a.data.map((x, i) => f(x, at(b, i % 3)));
  const wide = Array.from({ length: 12 }, (_, i) => f(at(a, i % 6), at(c, Math.floor(i / 6) * 3 + (i % 3))));
  const apply: OpCase["build"] = ([x, y]) => [build(x as Value, y as Value)];
  return [
    {
      op,
      title: `${op} [2,3] with [3]`,
      inputs: [a, b],
      build: apply,
      expected: [{ dims: [2, 3], data: rows }],
      differentiable: true,
    },
    {
      op,
      title: `${op} [2,3] with [2,1,3]`,
      inputs: [a, c],
      build: apply,
      expected: [{ dims: [2, 2, 3], data: wide }],
      differentiable: true,
    },
    {
      op,
      title: `${op} of one tensor twice`,
      inputs: [positives([4])],
      build: ([x]) => [build(x as Value, x as Value)],
      expected: [{ dims: [4], data: positives([4]).data.map((x) => f(x, x)) }],
      differentiable: true,
    },
  ];
}

function compare(op: OpName, build: BinaryBuild, f: (a: number, b: number) => boolean): OpCase {
  const a = [1, 2, 3, -1, 0, 5];
  const b = [1, 3, 2];
  return {
    op,
    title: `${op} of int32`,
    inputs: [ints([2, 3], a), ints([3], b)],
    build: ([x, y]) => [logic.cast(build(x as Value, y as Value), "float32")],
    expected: [{ dims: [2, 3], data: a.map((x, i) => Number(f(x, b[i % 3] ?? NaN))) }],
    differentiable: false,
  };
}

const truth = ints([2, 2], [0, 0, 1, 1], "bool");
const other = ints([2, 2], [0, 1, 0, 1], "bool");
function connective(op: OpName, build: (a: Value, b: Value) => Value, data: number[]): OpCase {
  return {
    op,
    title: op,
    inputs: [truth, other],
    build: ([x, y]) => [logic.cast(build(x as Value, y as Value), "int32")],
    expected: [{ dims: [2, 2], data }],
    differentiable: false,
  };
}

const scalars: OpCase = {
  op: "sub",
  title: "numbers as operands on either side",
  inputs: [{ dims: [2], data: [0.5, -1.5] }],
  build: ([x]) => [
    elementwise.sub(1, elementwise.add(elementwise.mul(elementwise.div(2, x as Value), 3), 0.25)),
  ],
  expected: [{ dims: [2], data: [-11.25, 4.75] }],
  differentiable: true,
};

const choose: OpCase = {
  op: "where",
  title: "where with broadcasting",
  inputs: [ints([2, 1], [1, 0], "bool"), floats([3], 4), floats([2, 3], 5)],
  build: ([c, a, b]) => [logic.where(c as Value, a as Value, b as Value)],
  expected: [{ dims: [2, 3], data: [...floats([3], 4).data, ...floats([2, 3], 5).data.slice(3)] }],
  differentiable: true,
};

const casts: OpCase[] = [
  {
    op: "cast",
    title: "cast float32 to int32 truncates",
    inputs: [{ dims: [4], data: [1.7, -1.7, 0.2, -0.2] }],
    build: ([x]) => [logic.cast(x as Value, "int32")],
    expected: [{ dims: [4], data: [1, -1, 0, 0] }],
    differentiable: false,
  },
  {
    op: "cast",
    title: "cast int32 to bool to float32",
    inputs: [ints([3], [0, 2, -1])],
    build: ([x]) => [logic.cast(logic.cast(x as Value, "bool"), "float32")],
    expected: [{ dims: [3], data: [0, 1, 1] }],
    differentiable: false,
  },
];

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
const straddling: CaseInput = { dims: [8], data: [-1.7, -0.6, -0.51, -0.3, 0.3, 0.49, 0.6, 1.7] };
const tie: OpCase = {
  op: "minimum",
  title: "minimum of int32",
  inputs: [ints([3], [1, 2, 3]), ints([3], [3, 2, 1])],
  build: ([a, b]) => [elementwise.minimum(a as Value, b as Value)],
  expected: [{ dims: [3], data: [1, 2, 1] }],
  differentiable: false,
};

export const ELEMENTWISE_CASES: readonly OpCase[] = [
  ...binary("add", elementwise.add, (a, b) => a + b),
  ...binary("sub", elementwise.sub, (a, b) => a - b),
  ...binary("mul", elementwise.mul, (a, b) => a * b),
  ...binary("div", elementwise.div, (a, b) => a / b),
  ...binary("maximum", elementwise.maximum, (a, b) => (a > b ? a : b)),
  ...binary("minimum", elementwise.minimum, (a, b) => (a < b ? a : b)),
  tie,
  scalars,
  unary("neg", elementwise.neg, (x) => 0 - x),
  unary("exp", elementwise.exp, (x) => Math.E ** x),
  unary("log", elementwise.log, (x) => Math.log10(x) * Math.LN10, positives([5])),
  unary("sqrt", elementwise.sqrt, (x) => x ** 0.5, positives([5])),
  unary("reciprocal", elementwise.reciprocal, (x) => x ** -1, positives([5])),
  unary("abs", elementwise.abs, (x) => (x < 0 ? 0 - x : x)),
  unary("square", elementwise.square, (x) => x ** 2),
  unary("sigmoid", elementwise.sigmoid, (x) => 0.5 * (1 + Math.tanh(x / 2))),
  unary("silu", elementwise.silu, (x) => x * sigmoid(x)),
  unary(
    "pow",
    (x) => elementwise.pow(x, 1.5),
    (x) => x * x ** 0.5,
    positives([5]),
  ),
  unary(
    "pow",
    (x) => elementwise.pow(x, 3),
    (x) => x * x * x,
  ),
  unary(
    "clip",
    (x) => elementwise.clip(x, -0.5, 0.5),
    (x) => (x < -0.5 ? -0.5 : x > 0.5 ? 0.5 : x),
    straddling,
  ),
  unary("stopGradient", elementwise.stopGradient, (x) => x),
  compare("equal", logic.equal, (a, b) => a === b),
  compare("less", logic.less, (a, b) => a < b),
  compare("greater", logic.greater, (a, b) => a > b),
  compare("lessOrEqual", logic.lessOrEqual, (a, b) => a <= b),
  compare("greaterOrEqual", logic.greaterOrEqual, (a, b) => a >= b),
  connective("and", logic.and, [0, 0, 0, 1]),
  connective("or", logic.or, [0, 1, 1, 1]),
  {
    op: "not",
    title: "not",
    inputs: [truth],
    build: ([x]) => [logic.cast(logic.not(x as Value), "int32")],
    expected: [{ dims: [2, 2], data: [1, 1, 0, 0] }],
    differentiable: false,
  },
  choose,
  ...casts,
];
