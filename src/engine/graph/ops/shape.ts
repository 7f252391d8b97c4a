/** Ops that move elements and compute nothing. Split is missing on purpose: with many outputs it breaks a WebGPU limit. */
import { addDims, axisOf, broadcastDims, dimAt, invalid, sameDims, showDims, staticDims } from "../dims.ts";
import type { Dim, Graph, Value, ValueSpec } from "../ir.ts";
import { emitOne } from "../op.ts";
import type { OpDef, Unary } from "../op.ts";
import { read, tabulate, withDims } from "../reference.ts";

/** ONNX's "to the end" of a Slice, within int32. */
const END = 2147483647;

interface DimsAttrs {
  readonly dims: readonly Dim[];
}

/** What remains of two shapes' element counts after equal names cancel. */
function leftover(
  from: readonly Dim[],
  to: readonly Dim[],
): { number: number; names: string[]; extra: string[] } {
  const names = from.filter((dim) => typeof dim === "string");
  const extra: string[] = [];
  let number = from.reduce<number>((n, dim) => (typeof dim === "number" ? n * dim : n), 1);
  for (const dim of to) {
    if (typeof dim === "number") {
      if (dim !== -1) number = dim === 0 ? number : number / dim;
      continue;
    }
    const at = names.indexOf(dim);
    if (at >= 0) names.splice(at, 1);
    else extra.push(dim);
  }
  return { number, names, extra };
}

function reshapedDims(x: Value, target: readonly Dim[]): Dim[] {
  const out = target.map((dim, axis) => (dim === 0 ? (x.dims[axis] ?? 1) : dim));
  const { number, names, extra } = leftover(x.dims, out);
  const fail = (): never => invalid("reshape", [x], `as many elements as ${showDims(target)} has`);
  const open = out.indexOf(-1);
  if (open >= 0) {
    if (out.indexOf(-1, open + 1) >= 0 || extra.length > 0) return fail();
    if (names.length === 0 && !Number.isInteger(number)) return fail();
    out[open] = names.length === 0 ? number : [...(number === 1 ? [] : [number]), ...names].join("*");
  } else if (names.length === 0 && extra.length === 0 && number !== 1) return fail();
  return out;
}

/** The target as ONNX takes it: 0 copies the input's size, -1 is worked out at run time. */
function reshapeWire(x: Value, out: readonly Dim[]): number[] {
  const wire = out.map((dim, axis) => (typeof dim === "number" ? dim : dim === x.dims[axis] ? 0 : -1));
  if (wire.filter((dim) => dim === -1).length > 1) {
    invalid("reshape", [x], `at most one named size of ${showDims(out)} that moves`);
  }
  return wire;
}

export const reshapeOp: OpDef<DimsAttrs, Unary> = {
  name: "reshape",
  infer: ([x], { dims }) => {
    const out = reshapedDims(x, dims);
    reshapeWire(x, out);
    return [{ dtype: x.dtype, dims: out }];
  },
  vjp: ({ inputs: [x], g, build }) => [build.reshape(g, x.dims)],
  evaluate: ([x], { inputs: [value], outputs: [y] }) => {
    const wire = reshapeWire(value, y?.dims ?? []);
    const known = wire.map((dim, axis) => (dim === 0 ? (x.dims[axis] ?? 1) : dim));
    const rest = x.data.length / known.reduce((n, dim) => (dim === -1 ? n : n * dim), 1);
    return [
      withDims(
        x,
        known.map((dim) => (dim === -1 ? rest : dim)),
      ),
    ];
  },
  lower: ({ inputs: [x], outputs: [y], from, to, onnx }) => {
    onnx.node("Reshape", [from[0], onnx.ints(reshapeWire(x, y?.dims ?? []))], to);
  },
};

interface TransposeAttrs {
  readonly perm: readonly number[];
}
export const transposeOp: OpDef<TransposeAttrs, Unary> = {
  name: "transpose",
  infer: ([x], { perm }) => {
    if ([...perm].sort((a, b) => a - b).some((axis, i) => axis !== i) || perm.length !== x.dims.length) {
      invalid("transpose", [x], `a permutation of its axes, not [${perm.join(", ")}]`);
    }
    const axes = x.axes === undefined ? undefined : perm.map((axis) => x.axes?.[axis] ?? "");
    return [{ dtype: x.dtype, dims: perm.map((axis) => dimAt(x, axis)), axes }];
  },
  vjp: ({ attrs: { perm }, g, build }) => {
    const inverse = perm.map(() => 0);
    perm.forEach((axis, i) => (inverse[axis] = i));
    return [build.transpose(g, inverse)];
  },
  evaluate: ([x], { attrs: { perm } }) => {
    const at = perm.map(() => 0);
    return [
      tabulate(
        perm.map((axis) => x.dims[axis] ?? 1),
        (index) => {
          perm.forEach((axis, i) => (at[axis] = index[i] ?? 0));
          return read(x, at);
        },
      ),
    ];
  },
  lower: ({ from, to, attrs, onnx }) => {
    onnx.node("Transpose", from, to, { attrs: { perm: { ints: attrs.perm } } });
  },
};

interface SliceAttrs {
  readonly axis: number;
  /** Negative ones count from the end, for named sizes only. */
  readonly start: number;
  readonly end: number;
  readonly step: number;
}
function slicedDim(x: Value, { axis, start, end, step }: SliceAttrs): Dim {
  const dim = dimAt(x, axis);
  if (typeof dim === "number") return Math.max(0, Math.ceil((end - start) / step));
  if (start < 0 === end < 0) return end - start;
  if (start < 0) return end === END ? -start : invalid("slice", [x], "an end that counts as the start does");
  return addDims(addDims(dim, -start), end);
}
export const sliceOp: OpDef<SliceAttrs, Unary> = {
  name: "slice",
  infer: ([x], attrs) => {
    const dim = slicedDim(x, attrs);
    return [
      { dtype: x.dtype, dims: x.dims.map((size, axis) => (axis === attrs.axis ? dim : size)), axes: x.axes },
    ];
  },
  vjp: ({ inputs: [x], attrs: { axis, start, end, step }, g, build }) => {
    const dim = Number(dimAt(x, axis));
    if (step === 1) return [build.pad(g, axis, start, dim - end)];
    // Zeros between the elements: an axis of size `step` behind, of which the cotangent is element 0.
    const dims = staticDims("slice", g);
    const open = [...dims.slice(0, axis + 1), 1, ...dims.slice(axis + 1)];
    const spaced = dims.map((size, i) => (i === axis ? size * step : size));
    const flat = build.reshape(build.pad(build.reshape(g, open), axis + 1, 0, step - 1), spaced);
    return [build.pad(build.slice(flat, axis, 0, end - start), axis, start, dim - end)];
  },
  evaluate: ([x], { attrs: { axis, start, end, step } }) => {
    const size = x.dims[axis] ?? 1;
    const first = start < 0 ? Math.max(0, start + size) : Math.min(start, size);
    const last = end < 0 ? end + size : Math.min(end, size);
    const count = Math.max(0, Math.ceil((last - first) / step));
    return [
      tabulate(
        x.dims.map((dim, i) => (i === axis ? count : dim)),
        (index) =>
          read(
            x,
            index.map((at, i) => (i === axis ? first + at * step : at)),
          ),
      ),
    ];
  },
  lower: ({ from: [x], to, attrs: { axis, start, end, step }, onnx }) => {
    const parts = [[start], [end], [axis], ...(step === 1 ? [] : [[step]])];
    onnx.node("Slice", [x, ...parts.map((part) => onnx.ints(part))], to);
  },
};

interface ConcatAttrs {
  readonly axis: number;
}
export const concatOp: OpDef<ConcatAttrs> = {
  name: "concat",
  infer: (inputs, { axis }) => {
    const [first, ...rest] = inputs;
    if (first === undefined) return invalid("concat", inputs, "at least one tensor");
    const outside = (value: Value): Dim[] => value.dims.filter((_, i) => i !== axis);
    for (const value of rest) {
      if (
        value.dtype !== first.dtype ||
        value.dims.length !== first.dims.length ||
        !sameDims(outside(value), outside(first))
      ) {
        invalid("concat", inputs, `tensors that differ on axis ${axis} only`);
      }
    }
    const total = rest.reduce((dim, value) => addDims(dim, dimAt(value, axis)), dimAt(first, axis));
    return [
      { dtype: first.dtype, dims: first.dims.map((dim, i) => (i === axis ? total : dim)), axes: first.axes },
    ];
  },
  vjp: ({ inputs, attrs: { axis }, g, needs, build }) => {
    let start = 0;
    return inputs.map((value, i) => {
      const from = start;
      start += Number(dimAt(value, axis));
      return needs[i] === true ? build.slice(g, axis, from, start) : null;
    });
  },
  evaluate: (inputs, { attrs: { axis } }) => {
    const total = inputs.reduce((n, x) => n + (x.dims[axis] ?? 0), 0);
    const dims = (inputs[0]?.dims ?? []).map((dim, i) => (i === axis ? total : dim));
    const result = tabulate(dims, (index) => {
      let at = index[axis] ?? 0;
      const part = inputs.find((x) => {
        const size = x.dims[axis] ?? 0;
        if (at < size) return true;
        at -= size;
        return false;
      });
      return part === undefined
        ? NaN
        : read(
            part,
            index.map((place, i) => (i === axis ? at : place)),
          );
    });
    return [result];
  },
  lower: ({ from, to, attrs, onnx }) => {
    onnx.node("Concat", from, to, { attrs: { axis: { int: attrs.axis } } });
  },
};

export const expandOp: OpDef<DimsAttrs, Unary> = {
  name: "expand",
  infer: ([x], { dims }) => {
    const joined = broadcastDims(x.dims, dims);
    const named = dims.some(
      (dim, i) => typeof dim === "string" && dim !== x.dims[i - dims.length + x.dims.length],
    );
    if (joined === undefined || named || !sameDims(joined, dims)) {
      invalid("expand", [x], `a shape that broadcasts to ${showDims(dims)}`);
    }
    return [{ dtype: x.dtype, dims, axes: x.dims.length === dims.length ? x.axes : undefined }];
  },
  vjp: ({ inputs: [x], g, build }) => [build.sumTo(g, x.dims)],
  evaluate: ([x], { attrs: { dims } }) => {
    const lead = dims.length - x.dims.length;
    const sizes = dims.map((dim, i) => (typeof dim === "number" ? dim : (x.dims[i - lead] ?? 1)));
    return [tabulate(sizes, (index) => read(x, index))];
  },
  // A named size is the input's own, which 1 leaves as it is.
  lower: ({ from: [x], to, attrs: { dims }, onnx }) => {
    onnx.node("Expand", [x, onnx.ints(dims.map((dim) => (typeof dim === "number" ? dim : 1)))], to);
  },
};

interface TileAttrs {
  readonly repeats: readonly number[];
}
export const tileOp: OpDef<TileAttrs, Unary> = {
  name: "tile",
  infer: ([x], { repeats }): [ValueSpec] => {
    if (repeats.length !== x.dims.length)
      invalid("tile", [x], `${x.dims.length} repeats, not [${repeats.join(", ")}]`);
    const dims = x.dims.map((dim, i) => {
      const times = repeats[i] ?? 1;
      if (times !== 1 && typeof dim === "string")
        return invalid("tile", [x], "repeats of sizes that are numbers");
      return typeof dim === "number" ? dim * times : dim;
    });
    return [{ dtype: x.dtype, dims, axes: x.axes }];
  },
  // The repeats of axis i become an axis of their own before it, which is then summed.
  vjp: ({ inputs: [x], attrs: { repeats }, g, build }) => {
    const open = staticDims("tile", x).flatMap((dim, i) => [repeats[i] ?? 1, dim]);
    return [
      build.reduceSum(
        build.reshape(g, open),
        repeats.map((_, i) => 2 * i),
      ),
    ];
  },
  evaluate: ([x], { attrs: { repeats } }) => [
    tabulate(
      x.dims.map((dim, i) => dim * (repeats[i] ?? 1)),
      (index) =>
        read(
          x,
          index.map((at, i) => at % (x.dims[i] ?? 1)),
        ),
    ),
  ],
  lower: ({ from: [x], to, attrs, onnx }) => {
    onnx.node("Tile", [x, onnx.ints(attrs.repeats)], to);
  },
};

interface PadAttrs {
  readonly axis: number;
  readonly before: number;
  readonly after: number;
  readonly value: number;
}
export const padOp: OpDef<PadAttrs, Unary> = {
  name: "pad",
  infer: ([x], { axis, before, after }) => {
    if (x.dtype === "bool" || before < 0 || after < 0)
      invalid("pad", [x], "numbers and amounts that are not negative");
    const dims = x.dims.map((dim, i) => (i === axis ? addDims(dim, before + after) : dim));
    return [{ dtype: x.dtype, dims, axes: x.axes }];
  },
  vjp: ({ inputs: [x], attrs: { axis, before }, g, build }) => [
    build.slice(g, axis, before, before + Number(dimAt(x, axis))),
  ],
  evaluate: ([x], { attrs: { axis, before, after, value } }) => {
    const size = x.dims[axis] ?? 0;
    return [
      tabulate(
        x.dims.map((dim, i) => (i === axis ? dim + before + after : dim)),
        (index) => {
          const at = (index[axis] ?? 0) - before;
          return at < 0 || at >= size
            ? value
            : read(
                x,
                index.map((place, i) => (i === axis ? at : place)),
              );
        },
      ),
    ];
  },
  lower: ({ inputs: [x], from, to, attrs: { axis, before, after, value }, onnx }) => {
    const amounts = (amount: number): number[] => x.dims.map((_, i) => (i === axis ? amount : 0));
    const pads = onnx.ints([...amounts(before), ...amounts(after)]);
    onnx.node("Pad", [from[0], pads, onnx.scalar(x.dtype, value)], to);
  },
};

/** 0 copies the input's size, -1 is worked out; one size may be a name that moves. */
export function reshape(x: Value, dims: readonly Dim[]): Value {
  return sameDims(x.dims, dims) ? x : emitOne(reshapeOp, [x], { dims: [...dims] });
}
export function transpose(x: Value, perm: readonly number[]): Value {
  return perm.every((axis, i) => axis === i) && perm.length === x.dims.length
    ? x
    : emitOne(transposeOp, [x], { perm: [...perm] });
}
/** Elements start, start + step, ... below end; negative bounds count from the end, Infinity is the end. */
export function slice(
  x: Value,
  axis: number,
  ...[start, end, step = 1]: readonly [start: number, end: number, step?: number]
): Value {
  const at = axisOf("slice", x, axis);
  const dim = dimAt(x, at);
  if (!Number.isInteger(step) || step < 1) invalid("slice", [x], `a step of at least 1, not ${step}`);
  if (typeof dim === "string") {
    if (step !== 1) invalid("slice", [x], "a size that is a number, where the step is not 1");
    return emitOne(sliceOp, [x], { axis: at, start, end: Math.min(end, END), step });
  }
  const bound = (place: number): number => Math.min(dim, Math.max(0, place < 0 ? place + dim : place));
  if (bound(start) === 0 && bound(end) === dim && step === 1) return x;
  return emitOne(sliceOp, [x], {
    axis: at,
    start: bound(start),
    end: Math.max(bound(start), bound(end)),
    step,
  });
}
export function concat(values: readonly Value[], axis: number): Value {
  const [first, ...rest] = values;
  if (first === undefined) return invalid("concat", values, "at least one tensor");
  return rest.length === 0 ? first : emitOne(concatOp, values, { axis: axisOf("concat", first, axis) });
}
/** Broadcasts to exactly `dims`; a named size must be x's own. */
export function expand(x: Value, dims: readonly Dim[]): Value {
  return sameDims(x.dims, dims) ? x : emitOne(expandOp, [x], { dims: [...dims] });
}
export function tile(x: Value, repeats: readonly number[]): Value {
  return repeats.every((times) => times === 1) && repeats.length === x.dims.length
    ? x
    : emitOne(tileOp, [x], { repeats: [...repeats] });
}
/** `before` and `after` elements of `value` around one axis. */
export function pad(
  x: Value,
  axis: number,
  ...[before, after, value = 0]: readonly [before: number, after: number, value?: number]
): Value {
  const attrs = { axis: axisOf("pad", x, axis), before, after, value };
  return before === 0 && after === 0 ? x : emitOne(padOp, [x], attrs);
}
/** Drops an axis of size 1. */
export function squeeze(x: Value, axis: number): Value {
  const at = axisOf("squeeze", x, axis);
  if (dimAt(x, at) !== 1) invalid("squeeze", [x], `size 1 on axis ${at}`);
  return reshape(x, [...x.dims.slice(0, at), ...x.dims.slice(at + 1)]);
}
/** A new axis of size 1, at `axis` of the result. */
export function unsqueeze(x: Value, axis: number): Value {
  const at = axis < 0 ? axis + x.dims.length + 1 : axis;
  return reshape(x, [...x.dims.slice(0, at), 1, ...x.dims.slice(at)]);
}
/** Zeros that the file does not carry. */
export function zeros(graph: Graph, dims: readonly number[]): Value {
  return expand(graph.scalar("float32", 0), dims);
}
