/** Comparisons, booleans, choice and casts. Gradients pass through `where` alone: no other has a float on both sides. */
import { invalid } from "../dims.ts";
import type { OpName, Value } from "../ir.ts";
import { emitOne, operands, requireDtype } from "../op.ts";
import type { Binary, Operand, OpDef, Ternary, Unary } from "../op.ts";
import { mapRef, read, broadcastRef, tabulate, zipRef } from "../reference.ts";
import type { DType } from "../tensor.ts";
import { broadcastSpec } from "./elementwise.ts";

type None = Readonly<Record<string, never>>;
const NONE: None = {};

function comparison(
  name: OpName,
  onnxType: string,
  f: (a: number, b: number) => boolean,
): OpDef<None, Binary> {
  return {
    name,
    infer: (inputs) => {
      const [a, b] = inputs;
      if (a.dtype !== b.dtype || a.dtype === "bool") invalid(name, inputs, "two number tensors of one type");
      return [{ dtype: "bool", ...broadcastSpec(name, inputs) }];
    },
    evaluate: ([a, b]) => [zipRef(a, b, (x, y) => Number(f(x, y)))],
    lower: ({ from, to, onnx }) => {
      onnx.node(onnxType, from, to);
    },
  };
}

function connective(
  name: OpName,
  onnxType: string,
  f: (a: number, b: number) => number,
): OpDef<None, Binary> {
  return {
    name,
    infer: (inputs) => {
      requireDtype(name, inputs, "bool");
      return [{ dtype: "bool", ...broadcastSpec(name, inputs) }];
    },
    evaluate: ([a, b]) => [zipRef(a, b, f)],
    lower: ({ from, to, onnx }) => {
      onnx.node(onnxType, from, to);
    },
  };
}

export const equalOp = comparison("equal", "Equal", (a, b) => a === b);
export const lessOp = comparison("less", "Less", (a, b) => a < b);
export const greaterOp = comparison("greater", "Greater", (a, b) => a > b);
export const lessOrEqualOp = comparison("lessOrEqual", "LessOrEqual", (a, b) => a <= b);
export const greaterOrEqualOp = comparison("greaterOrEqual", "GreaterOrEqual", (a, b) => a >= b);
export const andOp = connective("and", "And", (a, b) => a * b);
export const orOp: OpDef<None, Binary> = {
  ...connective("or", "Or", (a, b) => Math.max(a, b)),
  // not (not a and not b): Or itself has no WebGPU kernel.
  lower: ({ from: [a, b], to, onnx }) => {
    const [notA, notB, neither] = [onnx.fresh(), onnx.fresh(), onnx.fresh()];
    onnx.node("Not", [a], [notA]);
    onnx.node("Not", [b], [notB]);
    onnx.node("And", [notA, notB], [neither]);
    onnx.node("Not", [neither], to);
  },
};

export const notOp: OpDef<None, Unary> = {
  name: "not",
  infer: (inputs) => {
    requireDtype("not", inputs, "bool");
    return [{ dtype: "bool", dims: inputs[0].dims, axes: inputs[0].axes }];
  },
  evaluate: ([x]) => [mapRef(x, (value) => 1 - value)],
  lower: ({ from, to, onnx }) => {
    onnx.node("Not", from, to);
  },
};

export const whereOp: OpDef<None, Ternary> = {
  name: "where",
  infer: (inputs) => {
    const [condition, a, b] = inputs;
    if (condition.dtype !== "bool" || a.dtype !== b.dtype)
      invalid("where", inputs, "a bool and two tensors of one type");
    return [{ dtype: a.dtype, ...broadcastSpec("where", inputs) }];
  },
  vjp: ({ inputs: [condition, a, b], g, needs, build }) => [
    null,
    needs[1] ? build.sumTo(build.where(condition, g, 0), a.dims) : null,
    needs[2] ? build.sumTo(build.where(condition, 0, g), b.dims) : null,
  ],
  evaluate: ([condition, a, b]) => [
    tabulate(broadcastRef(condition.dims, a.dims, b.dims), (index) =>
      read(condition, index) === 0 ? read(b, index) : read(a, index),
    ),
  ],
  lower: ({ from, to, onnx }) => {
    onnx.node("Where", from, to);
  },
};

interface CastAttrs {
  readonly to: DType;
}
const ONNX_TYPE: Readonly<Record<DType, number>> = { float32: 1, uint8: 2, int32: 6, int64: 7, bool: 9 };

function castNumber(to: DType, value: number): number {
  if (to === "float32") return value;
  if (to === "bool") return Number(value !== 0);
  return Math.trunc(value);
}

export const castOp: OpDef<CastAttrs, Unary> = {
  name: "cast",
  infer: ([x], { to }) => [{ dtype: to, dims: x.dims, axes: x.axes }],
  evaluate: ([x], { attrs }) => [mapRef(x, (value) => castNumber(attrs.to, value))],
  lower: ({ from, to, attrs, onnx }) => {
    onnx.node("Cast", from, to, { attrs: { to: { int: ONNX_TYPE[attrs.to] } } });
  },
};

export function equal(a: Operand, b: Operand): Value {
  return emitOne(equalOp, operands("equal", a, b), NONE);
}
export function less(a: Operand, b: Operand): Value {
  return emitOne(lessOp, operands("less", a, b), NONE);
}
export function greater(a: Operand, b: Operand): Value {
  return emitOne(greaterOp, operands("greater", a, b), NONE);
}
export function lessOrEqual(a: Operand, b: Operand): Value {
  return emitOne(lessOrEqualOp, operands("lessOrEqual", a, b), NONE);
}
export function greaterOrEqual(a: Operand, b: Operand): Value {
  return emitOne(greaterOrEqualOp, operands("greaterOrEqual", a, b), NONE);
}
export function and(a: Value, b: Value): Value {
  return emitOne(andOp, [a, b], NONE);
}
export function or(a: Value, b: Value): Value {
  return emitOne(orOp, [a, b], NONE);
}
export function not(x: Value): Value {
  return emitOne(notOp, [x], NONE);
}
/** a where the condition holds, else b; all three broadcast. */
export function where(condition: Value, a: Operand, b: Operand): Value {
  const [x, y] = operands("where", a, b);
  return emitOne(whereOp, [condition, x, y], NONE);
}
/** Truncates toward zero for integers; non-zero is true for bool. Casts from int64 leave the GPU. */
export function cast(x: Value, dtype: DType): Value {
  return x.dtype === dtype ? x : emitOne(castOp, [x], { to: dtype });
}
