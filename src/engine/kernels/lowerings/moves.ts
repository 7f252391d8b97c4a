/** Operators that move numbers and compute none. */
import { elementBytes } from "../heap.ts";
import type { Lowering, NodeContext, Place, Step } from "../node-context.ts";
import { broadcastStrides, stridesOf } from "../strides.ts";
import { copyStrided } from "./elementwise.ts";
import { address, count, input, output } from "./node-parts.ts";

const shifted = (place: Place, bytes: number): Place => ({ ...place, offset: place.offset + bytes });

export const transposeLowering: Lowering = (context) => {
  const { perm } = context.node.attrs as { readonly perm: readonly number[] };
  const strides = stridesOf(context.dims(input(context, 0)));
  const dims = context.dims(output(context));
  return copyStrided(context, dims, {
    from: context.place(input(context, 0)),
    strides: perm.map((axis) => strides[axis] ?? 0),
    to: context.place(output(context)),
    toStrides: stridesOf(dims),
  });
};

export const sliceLowering: Lowering = (context) => {
  const { axis, start, step } = context.node.attrs as { axis: number; start: number; step: number };
  const own = context.dims(input(context, 0));
  const strides = stridesOf(own);
  const first = start < 0 ? Math.max(0, start + (own[axis] ?? 0)) : start;
  const dims = context.dims(output(context));
  return copyStrided(context, dims, {
    from: shifted(context.place(input(context, 0)), first * (strides[axis] ?? 0)),
    strides: strides.map((stride, i) => (i === axis ? stride * step : stride)),
    to: context.place(output(context)),
    toStrides: stridesOf(dims),
  });
};

export const concatLowering: Lowering = (context) => {
  const { axis } = context.node.attrs as { readonly axis: number };
  const toStrides = stridesOf(context.dims(output(context)));
  let start = 0;
  const parts = context.node.inputs.map((value): Step => {
    const dims = context.dims(value);
    const to = shifted(context.place(output(context)), start * (toStrides[axis] ?? 0));
    start += dims[axis] ?? 0;
    return copyStrided(context, dims, {
      from: context.place(value),
      strides: stridesOf(dims),
      to,
      toStrides,
    });
  });
  return (slots) => {
    for (const part of parts) part(slots);
  };
};

export const expandLowering: Lowering = (context) => {
  const dims = context.dims(output(context));
  return copyStrided(context, dims, {
    from: context.place(input(context, 0)),
    strides: broadcastStrides(context.dims(input(context, 0)), dims),
    to: context.place(output(context)),
    toStrides: stridesOf(dims),
  });
};

export const padLowering: Lowering = (context) => {
  const { axis, before, value } = context.node.attrs as { axis: number; before: number; value: number };
  if (input(context, 0).dtype !== "float32") return null;
  const own = context.dims(input(context, 0));
  const toStrides = stridesOf(context.dims(output(context)));
  const place = context.place(output(context));
  const n = count(context, output(context));
  const { fill } = context.kernels;
  const copy = copyStrided(context, own, {
    from: context.place(input(context, 0)),
    strides: stridesOf(own),
    to: shifted(place, before * (toStrides[axis] ?? 0)),
    toStrides,
  });
  return (slots) => {
    fill(n, value, address(slots, place));
    copy(slots);
  };
};

/** Rows by index. */
export const gatherLowering: Lowering = (context) => {
  const { axis = 0 } = context.node.attrs as { readonly axis?: number };
  if (axis !== 0) return null;
  const [limit = 0, ...rest] = context.dims(input(context, 0));
  const bytes = elementBytes(input(context, 0).dtype) * rest.reduce((n, dim) => n * dim, 1);
  const n = count(context, input(context, 1));
  const [x, indices, out] = [input(context, 0), input(context, 1), output(context)].map((v) =>
    context.place(v),
  );
  const { gather } = context.kernels;
  return (slots) => {
    const bad = gather(n, bytes, limit, address(slots, x as Place), address(slots, indices as Place), address(slots, out as Place)); // prettier-ignore
    if (bad >= 0) throw outside(context, address(slots, indices as Place) + 4 * bad, limit);
  };
};

/** One element a row of a matrix. */
export const gatherElementsLowering: Lowering = (context) => {
  const [x, indices] = [input(context, 0), input(context, 1)];
  const [rows = 0, columns = 0] = context.dims(x);
  const { axis } = context.node.attrs as { readonly axis: number };
  if (axis !== 1 || context.dims(x).length !== 2 || context.dims(indices)[1] !== 1) return null;
  const places = [x, indices, output(context)].map((value) => context.place(value));
  const { pick } = context.kernels;
  return (slots) => {
    const [from = 0, index = 0, to = 0] = places.map((place) => address(slots, place));
    const bad = pick(rows, columns, from, index, to);
    if (bad >= 0) throw outside(context, index + 4 * bad, columns);
  };
};

function outside({ node, ints }: NodeContext, at: number, limit: number): Error {
  return new Error(`${node.op}: index ${ints(at, 1)[0]} outside 0 to ${limit - 1}`);
}
