/** Reductions and what works row by row. */
import type { Lowering, NodeContext } from "../node-context.ts";
import { address, count, input, output } from "./node-parts.ts";

/** Sizes before, among and behind reduced axes that lie side by side; null where they do not. */
function reduced(context: NodeContext): { outer: number; middle: number; inner: number } | null {
  const { axes } = context.node.attrs as { readonly axes: readonly number[] };
  const dims = context.dims(input(context, 0));
  const [first = 0] = axes;
  const last = axes.at(-1) ?? 0;
  if (input(context, 0).dtype !== "float32" || last - first + 1 !== axes.length) return null;
  const size = (from: number, to: number): number => dims.slice(from, to).reduce((n, dim) => n * dim, 1);
  return { outer: size(0, first), middle: size(first, last + 1), inner: size(last + 1, dims.length) };
}

export const sumLowering: Lowering = (context) => {
  const sizes = reduced(context);
  if (sizes === null) return null;
  const { outer, middle, inner } = sizes;
  const scale = context.node.op === "reduceMean" ? 1 / middle : 1;
  const [x, out] = [context.place(input(context, 0)), context.place(output(context))];
  const { sumRows, sumMiddle } = context.kernels;
  return (slots) => {
    const [from, to] = [address(slots, x), address(slots, out)];
    if (inner === 1) sumRows(outer, middle, from, scale, to);
    else sumMiddle(outer, middle, inner, from, scale, to);
  };
};

export const maxLowering: Lowering = (context) => {
  const sizes = reduced(context);
  if (sizes?.inner !== 1) return null;
  const { outer, middle } = sizes;
  const [x, out] = [context.place(input(context, 0)), context.place(output(context))];
  const { maxRows } = context.kernels;
  return (slots) => {
    maxRows(outer, middle, address(slots, x), address(slots, out));
  };
};

/** Rows and columns of a tensor: all axes but the last, and the last. */
function matrix(context: NodeContext): { rows: number; columns: number } {
  const columns = context.dims(output(context)).at(-1) ?? 1;
  return { rows: count(context, output(context)) / Math.max(1, columns), columns };
}

export const cumSumLowering: Lowering = (context) => {
  const { axis, exclusive, reverse } = context.node.attrs as {
    axis: number;
    exclusive: boolean;
    reverse: boolean;
  };
  const value = input(context, 0);
  if (exclusive || reverse || axis !== context.dims(value).length - 1 || value.dtype !== "float32")
    return null;
  const { rows, columns } = matrix(context);
  const [x, out] = [context.place(value), context.place(output(context))];
  const { cumSum } = context.kernels;
  return (slots) => {
    cumSum(rows, columns, address(slots, x), address(slots, out));
  };
};

export const softmaxLowering: Lowering = (context) => {
  const { rows, columns } = matrix(context);
  const [x, out] = [context.place(input(context, 0)), context.place(output(context))];
  const { softmax } = context.kernels;
  return (slots) => {
    softmax(rows, columns, address(slots, x), address(slots, out));
  };
};

export const rmsNormLowering: Lowering = (context) => {
  const { eps } = context.node.attrs as { readonly eps: number };
  const { rows, columns } = matrix(context);
  const [x, weight] = [context.place(input(context, 0)), context.place(input(context, 1))];
  const out = context.place(output(context));
  const { rmsNorm } = context.kernels;
  return (slots) => {
    rmsNorm(rows, columns, address(slots, x), address(slots, weight), eps, address(slots, out));
  };
};

/** x [B, T, H*Dh]. */
export const rotaryLowering: Lowering = (context) => {
  const half = context.dims(input(context, 2)).at(-1) ?? 1;
  if (context.dims(input(context, 0)).length !== 3 || half % 4 !== 0) return null;
  const { rows, columns } = matrix(context);
  const places = [0, 1, 2, 3].map((i) => context.place(input(context, i)));
  const out = context.place(output(context));
  const { rotary } = context.kernels;
  return (slots) => {
    const [x = 0, positions = 0, cos = 0, sin = 0] = places.map((place) => address(slots, place));
    rotary(rows, columns, half, x, positions, cos, sin, address(slots, out));
  };
};
