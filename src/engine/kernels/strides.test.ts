/** Loops over shapes visit the elements that plain index arithmetic names, whatever was made one axis. */
import { expect, it } from "vitest";
import { createRng, shuffled } from "../../base/rng.ts";
import { atLeast, broadcastStrides, collapse, outerOffsets, stridesOf } from "./strides.ts";

it("counts bytes from the last axis on", () => {
  expect(stridesOf([2, 3, 5])).toEqual([60, 20, 4]);
  expect(stridesOf([])).toEqual([]);
  expect(stridesOf([4, 1])).toEqual([4, 4]);
});

it("stands still along what is stretched", () => {
  expect(broadcastStrides([3, 1], [2, 3, 5])).toEqual([0, 4, 0]);
  expect(broadcastStrides([5], [2, 3, 5])).toEqual([0, 0, 4]);
  expect(broadcastStrides([], [2, 3])).toEqual([0, 0]);
  expect(broadcastStrides([2, 3, 5], [2, 3, 5])).toEqual([60, 20, 4]);
});

it("makes axes one where every operand runs through them, and only there", () => {
  const whole = stridesOf([2, 3, 5]);
  expect(collapse([2, 3, 5], [whole, whole])).toEqual({ dims: [30], strides: [[4], [4]] });
  expect(collapse([2, 3, 5], [whole, [0, 0, 4]])).toEqual({
    dims: [6, 5],
    strides: [
      [20, 4],
      [0, 4],
    ],
  });
  expect(collapse([2, 3, 5], [whole, [0, 4, 0]]).dims).toEqual([2, 3, 5]);
  expect(collapse([1, 3, 1], [stridesOf([1, 3, 1])])).toEqual({ dims: [3], strides: [[4]] });
  expect(atLeast({ dims: [3], strides: [[4]] }, 3)).toEqual({ dims: [1, 1, 3], strides: [[0, 0, 4]] });
});

it("visits the same elements in the same order, for 300 random shapes with transposed and stretched operands", () => {
  const rng = createRng(3, "strides");
  for (let trial = 0; trial < 300; trial++) {
    const dims = Array.from({ length: 1 + rng.below(5) }, () => 1 + rng.below(4));
    const axes = shuffled([...dims.keys()], rng);
    const turned = stridesOf(axes.map((axis) => dims[axis] ?? 1));
    const operands = [
      stridesOf(dims),
      dims.map((_, axis) => turned[axes.indexOf(axis)] ?? 0),
      broadcastStrides(
        dims.map((size) => (rng.next() < 0.5 ? size : 1)),
        dims,
      ),
    ];
    const wanted = outerOffsets({ dims, strides: operands }, 0);
    const size = dims.reduce((n, dim) => n * dim, 1);
    expect(wanted.map(([at]) => at)).toEqual(Array.from({ length: size }, (_, i) => 4 * i));
    const loops = collapse(dims, operands);
    expect(outerOffsets(loops, 0)).toEqual(wanted);
    expect(outerOffsets(atLeast(loops, 4), 0)).toEqual(wanted);
    expect(loops.dims.every((dim) => dim > 1)).toBe(true);
  }
});
