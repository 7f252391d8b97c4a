/** Sums, means and maxima over axes, and running sums. */
import { dimAt, axisOf, invalid, isStatic, sameDims } from "../dims.ts";
import type { Dim, OpName, Value, ValueSpec } from "../ir.ts";
import { emitOne, requireDtype } from "../op.ts";
import type { OpDef, RefTensor, Unary, VjpContext } from "../op.ts";
import { foldRef, read, tabulate, withDims } from "../reference.ts";
import { reshape } from "./shape.ts";

interface ReduceAttrs {
  /** Counted from the front, ascending. */
  readonly axes: readonly number[];
  readonly keepDims: boolean;
}

function keptDims<D extends Dim>(dims: readonly D[], { axes }: ReduceAttrs): (D | 1)[] {
  return dims.map((dim, axis) => (axes.includes(axis) ? 1 : dim));
}

function reducedDims<D extends Dim>(dims: readonly D[], attrs: ReduceAttrs): (D | 1)[] {
  if (attrs.keepDims) return keptDims(dims, attrs);
  return dims.filter((_, axis) => !attrs.axes.includes(axis));
}

function inferReduce(op: OpName, [x]: Unary, attrs: ReduceAttrs): [ValueSpec] {
  requireDtype(op, [x], "float32", "int32");
  for (const axis of attrs.axes) axisOf(op, x, axis);
  return [{ dtype: x.dtype, dims: reducedDims(x.dims, attrs) }];
}

/** The cotangent spread back over the reduced axes. */
function spread({ inputs: [x], attrs, g, build }: VjpContext<ReduceAttrs, Unary>): Value {
  return build.expand(attrs.keepDims ? g : build.reshape(g, keptDims(x.dims, attrs)), x.dims);
}

function countOf(dims: readonly Dim[], axes: readonly number[]): number {
  return axes.reduce((count, axis) => count * Number(dims[axis]), 1);
}

function reduction(
  name: OpName,
  onnxType: string,
  fold: (x: RefTensor, axes: readonly number[]) => RefTensor,
): OpDef<ReduceAttrs, Unary> {
  return {
    name,
    infer: (inputs, attrs) => inferReduce(name, inputs, attrs),
    evaluate: ([x], { attrs }) => [withDims(fold(x, attrs.axes), reducedDims(x.dims, attrs))],
    lower: ({ from: [x], to, attrs, onnx }) => {
      onnx.node(onnxType, [x, onnx.ints(attrs.axes)], to, {
        attrs: { keepdims: { int: Number(attrs.keepDims) } },
      });
    },
  };
}

const sumRef = (x: RefTensor, axes: readonly number[]): RefTensor =>
  foldRef(x, axes, { start: 0, step: (acc, value) => acc + value });

export const reduceSumOp: OpDef<ReduceAttrs, Unary> = {
  ...reduction("reduceSum", "ReduceSum", sumRef),
  vjp: (context) => [spread(context)],
};

export const reduceMeanOp: OpDef<ReduceAttrs, Unary> = {
  ...reduction("reduceMean", "ReduceMean", (x, axes) => {
    const sum = sumRef(x, axes);
    return { dims: sum.dims, data: sum.data.map((value) => value / countOf(x.dims, axes)) };
  }),
  infer: (inputs, attrs) => {
    requireDtype("reduceMean", inputs, "float32");
    return inferReduce("reduceMean", inputs, attrs);
  },
  vjp: (context) => {
    const count = countOf(context.inputs[0].dims, context.attrs.axes);
    return [spread({ ...context, g: context.build.mul(context.g, 1 / count) })];
  },
};

export const reduceMaxOp = reduction("reduceMax", "ReduceMax", (x, axes) =>
  foldRef(x, axes, { start: -Infinity, step: Math.max }),
);

interface CumSumAttrs {
  readonly axis: number;
  readonly exclusive: boolean;
  readonly reverse: boolean;
}

export const cumSumOp: OpDef<CumSumAttrs, Unary> = {
  name: "cumSum",
  infer: (inputs, { axis }) => {
    requireDtype("cumSum", inputs, "float32", "int32");
    const [x] = inputs;
    axisOf("cumSum", x, axis);
    return [{ dtype: x.dtype, dims: x.dims, axes: x.axes }];
  },
  vjp: ({ attrs: { axis, exclusive, reverse }, g, build }) => [
    build.cumSum(g, axis, { exclusive, reverse: !reverse }),
  ],
  evaluate: ([x], { attrs: { axis, exclusive, reverse } }) => [
    tabulate(x.dims, (index) => {
      const here = index[axis] ?? 0;
      const step = reverse ? 1 : -1;
      const at = [...index];
      let sum = 0;
      for (let i = exclusive ? here + step : here; i >= 0 && i < (x.dims[axis] ?? 0); i += step) {
        at[axis] = i;
        sum += read(x, at);
      }
      return sum;
    }),
  ],
  lower: ({ from: [x], to, attrs, onnx }) => {
    onnx.node("CumSum", [x, onnx.scalar("int32", attrs.axis)], to, {
      attrs: { exclusive: { int: Number(attrs.exclusive) }, reverse: { int: Number(attrs.reverse) } },
    });
  },
};

function applyReduction(def: OpDef<ReduceAttrs, Unary>, x: Value, attrs: ReduceAttrs): Value {
  const axes = [...new Set(attrs.axes.map((axis) => axisOf(def.name, x, axis)))].sort((a, b) => a - b);
  return axes.length === 0 ? x : emitOne(def, [x], { axes, keepDims: attrs.keepDims });
}

/** No axes: x itself. */
export function reduceSum(x: Value, axes: readonly number[], keepDims = false): Value {
  return applyReduction(reduceSumOp, x, { axes, keepDims });
}
export function reduceMean(x: Value, axes: readonly number[], keepDims = false): Value {
  return applyReduction(reduceMeanOp, x, { axes, keepDims });
}
/** Not differentiable: put it behind `stopGradient` where its gradient cancels. */
export function reduceMax(x: Value, axes: readonly number[], keepDims = false): Value {
  return applyReduction(reduceMaxOp, x, { axes, keepDims });
}
/** The running sum along an axis; `exclusive` leaves the own element out, `reverse` starts at the end. */
export function cumSum(
  x: Value,
  axis: number,
  options: { readonly exclusive?: boolean; readonly reverse?: boolean } = {},
): Value {
  const { exclusive = false, reverse = false } = options;
  return emitOne(cumSumOp, [x], { axis: axisOf("cumSum", x, axis), exclusive, reverse });
}

/** Sums x over what broadcasting added to get from `dims` to x's shape: the gradient of a broadcast. */
export function sumTo(x: Value, dims: readonly Dim[]): Value {
  if (sameDims(x.dims, dims)) return x;
  if (!isStatic(dims)) invalid("sumTo", [x], "sizes that are numbers");
  const lead = x.dims.length - dims.length;
  const axes: number[] = [];
  let ones = false;
  for (let axis = 0; axis < x.dims.length; axis++) {
    const stretched = axis >= lead && dims[axis - lead] === 1 && dimAt(x, axis) !== 1;
    if (axis < lead || stretched) axes.push(axis);
    ones ||= stretched;
  }
  return reshape(
    reduceSum(x, axes, lead === 0),
    ones || lead === 0 ? dims : reducedDims(x.dims, { axes, keepDims: false }),
  );
}
