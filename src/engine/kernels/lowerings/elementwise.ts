/** Arithmetic, comparisons, choice and casts, element by element. */
import type { Value } from "../../graph/ir.ts";
import type { BinaryName, UnaryName } from "../module.ts";
import type { Lowering, NodeContext, Place, Step } from "../node-context.ts";
import { atLeast, broadcastStrides, collapse, outerOffsets, stridesOf } from "../strides.ts";
import { address, count, input, output } from "./node-parts.ts";

export function unaryLowering(name: UnaryName): Lowering {
  return (context) => {
    const value = input(context, 0);
    if (value.dtype !== "float32" && name !== "not") return null;
    return applyUnary(context, name);
  };
}

function applyUnary(context: NodeContext, name: UnaryName): Step {
  const [x, y] = [context.place(input(context, 0)), context.place(output(context))];
  const n = count(context, output(context));
  const kernel = context.kernels[name];
  return (slots) => {
    kernel(n, address(slots, x), address(slots, y));
  };
}

/** `whole` is the kernel for whole numbers, null or absent where there is none; `swapped` exchanges the operands. */
export function binaryLowering(name: BinaryName, whole?: BinaryName | null, swapped = false): Lowering {
  return (context) => {
    const [first, second] = [input(context, 0), input(context, 1)];
    const kernel = first.dtype === "float32" ? name : whole;
    if (kernel === null || kernel === undefined) return null;
    return applyBinary(context, kernel, swapped ? [second, first] : [first, second]);
  };
}

function applyBinary(context: NodeContext, name: BinaryName, [a, b]: readonly [Value, Value]): Step {
  const dims = context.dims(output(context));
  const operands = [a, b].map((value) => broadcastStrides(context.dims(value), dims));
  const loops = atLeast(collapse(dims, [...operands, stridesOf(dims)]), 2);
  const [rows = 1, columns = 1] = loops.dims.slice(-2);
  const [[aRow = 0, aColumn = 0] = [], [bRow = 0, bColumn = 0] = []] = loops.strides.map((own) =>
    own.slice(-2),
  );
  const offsets = outerOffsets(loops, 2);
  const [left, right, out] = [context.place(a), context.place(b), context.place(output(context))];
  const kernel = context.kernels[name];
  if (offsets.length === 1) {
    return (slots) => {
      const [from, other] = [address(slots, left), address(slots, right)];
      kernel(rows, columns, from, aRow, aColumn, other, bRow, bColumn, address(slots, out));
    };
  }
  return (slots) => {
    const [from, other, to] = [address(slots, left), address(slots, right), address(slots, out)];
    for (const [aAt = 0, bAt = 0, at = 0] of offsets) {
      kernel(rows, columns, from + aAt, aRow, aColumn, other + bAt, bRow, bColumn, to + at);
    }
  };
}

export function clipLowering(context: NodeContext): Step {
  const { min, max } = context.node.attrs as { readonly min: number; readonly max: number };
  const [x, y] = [context.place(input(context, 0)), context.place(output(context))];
  const n = count(context, output(context));
  const { clip } = context.kernels;
  return (slots) => {
    clip(n, address(slots, x), min, max, address(slots, y));
  };
}

export function castLowering(context: NodeContext): Step | null {
  const [from, to] = [input(context, 0).dtype, output(context).dtype];
  if (to === "float32") return applyUnary(context, "toFloat");
  return from === "float32" && to !== "bool" && to !== "uint8" ? applyUnary(context, "toInt") : null;
}

export function whereLowering(context: NodeContext): Step {
  const dims = context.dims(output(context));
  const operands = [0, 1, 2].map((i) => stretched(context, input(context, i), dims));
  const out = context.place(output(context));
  const n = count(context, output(context));
  const { where } = context.kernels;
  return (slots) => {
    for (const { step } of operands) step?.(slots);
    const [condition = 0, a = 0, b = 0] = operands.map(({ place }) => address(slots, place));
    where(n, condition, a, b, address(slots, out));
  };
}

/** A value of the wanted shape: itself, or a copy in scratch. */
function stretched(
  context: NodeContext,
  value: Value,
  dims: readonly number[],
): { readonly place: Place; readonly step?: Step } {
  const place = context.place(value);
  const own = context.dims(value);
  const n = dims.reduce((total, dim) => total * dim, 1);
  if (own.reduce((total, dim) => total * dim, 1) === n) return { place };
  const room = context.temp(4 * n);
  const step = copyStrided(context, dims, {
    from: place,
    strides: broadcastStrides(own, dims),
    to: room,
    toStrides: stridesOf(dims),
  });
  return { place: room, step };
}

export interface StridedCopy {
  readonly from: Place;
  readonly strides: readonly number[];
  readonly to: Place;
  readonly toStrides: readonly number[];
}

/** Copies a shape between two layouts. */
export function copyStrided(context: NodeContext, dims: readonly number[], copy: StridedCopy): Step {
  const loops = atLeast(collapse(dims, [copy.strides, copy.toStrides]), 4);
  const sizes = loops.dims.slice(-4);
  const [x = [], y = []] = loops.strides.map((own) => own.slice(-4));
  const offsets = outerOffsets(loops, 4);
  const { copy4 } = context.kernels;
  if (dims.includes(0)) return () => undefined;
  return (slots) => {
    const [from, to] = [address(slots, copy.from), address(slots, copy.to)];
    for (const [at = 0, toAt = 0] of offsets) copy4(...sizes, from + at, ...x, to + toAt, ...y);
  };
}
