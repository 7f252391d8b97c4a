/** Plain float64 loops that the operators' reference implementations share. Slow and obvious on purpose. */
import { defined } from "../../base/assert.ts";
import type { RefTensor } from "./op.ts";

export function sizeOfDims(dims: readonly number[]): number {
  return dims.reduce((product, dim) => product * dim, 1);
}

/** A tensor from a function of the index. The index array is reused between calls. */
export function tabulate(dims: readonly number[], at: (index: readonly number[]) => number): RefTensor {
  const data = new Float64Array(sizeOfDims(dims));
  const index = dims.map(() => 0);
  for (let i = 0; i < data.length; i++) {
    data[i] = at(index);
    for (let axis = dims.length - 1; axis >= 0; axis--) {
      index[axis] = (index[axis] ?? 0) + 1;
      if ((index[axis] ?? 0) < (dims[axis] ?? 0)) break;
      index[axis] = 0;
    }
  }
  return { dims: [...dims], data };
}

/** The element at an index; sizes of 1 and missing leading axes broadcast. */
export function read(tensor: RefTensor, index: readonly number[]): number {
  return tensor.data[offset(tensor.dims, index)] ?? NaN;
}

/** The row-major place of an index in a shape that broadcasts to it. */
export function offset(dims: readonly number[], index: readonly number[]): number {
  const lead = index.length - dims.length;
  let place = 0;
  for (let axis = 0; axis < dims.length; axis++) {
    const dim = dims[axis] ?? 1;
    place = place * dim + (dim === 1 ? 0 : (index[axis + lead] ?? 0));
  }
  return place;
}

/** Element by element, without broadcasting. */
export function mapRef(x: RefTensor, f: (value: number) => number): RefTensor {
  return { dims: x.dims, data: x.data.map(f) };
}

/** The shape that all broadcast to. */
export function broadcastRef(...shapes: readonly (readonly number[])[]): number[] {
  const rank = Math.max(...shapes.map((dims) => dims.length));
  return Array.from({ length: rank }, (_, i) =>
    shapes.reduce((size, dims) => {
      const dim = dims[i - rank + dims.length] ?? 1;
      return dim === 1 ? size : dim;
    }, 1),
  );
}

/** Two tensors element by element, with broadcasting. */
export function zipRef(a: RefTensor, b: RefTensor, f: (a: number, b: number) => number): RefTensor {
  return tabulate(broadcastRef(a.dims, b.dims), (index) => f(read(a, index), read(b, index)));
}

/** Folds x over some axes, kept as size 1. */
export function foldRef(
  x: RefTensor,
  axes: readonly number[],
  fold: { readonly start: number; readonly step: (acc: number, value: number) => number },
): RefTensor {
  const dims = x.dims.map((dim, axis) => (axes.includes(axis) ? 1 : dim));
  const data = new Float64Array(sizeOfDims(dims)).fill(fold.start);
  tabulate(x.dims, (index) => {
    const place = offset(dims, index);
    data[place] = fold.step(defined(data[place], "foldRef"), read(x, index));
    return 0;
  });
  return { dims, data };
}

export function withDims(x: RefTensor, dims: readonly number[]): RefTensor {
  return { dims: [...dims], data: x.data };
}
