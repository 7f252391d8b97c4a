/** Which nodes compute nothing, and where in their input their output lies. */
import { expect, it } from "vitest";
import { defined } from "../../base/assert.ts";
import { Graph, type Value } from "../graph/ir.ts";
import { neg } from "../graph/ops/elementwise.ts";
import { cast } from "../graph/ops/logic.ts";
import { expand, reshape, slice, transpose } from "../graph/ops/shape.ts";
import type { DType } from "../graph/tensor.ts";
import { viewOf } from "./views.ts";

function offsetOf(
  dims: readonly number[],
  build: (x: Value) => Value,
  dtype: DType = "float32",
): number | null {
  const output = build(new Graph("view").input("x", dtype, dims));
  const node = defined(output.producer, "a node");
  return viewOf(node, dims, output.dims as readonly number[]);
}

it("leaves shapes and types of one kind where they are", () => {
  expect(offsetOf([2, 3], (x) => reshape(x, [3, 2]))).toBe(0);
  expect(offsetOf([2, 3], (x) => expand(x, [1, 2, 3]))).toBe(0);
  expect(offsetOf([3], (x) => cast(x, "int32"), "int64")).toBe(0);
  expect(offsetOf([3], (x) => cast(x, "int32"), "bool")).toBe(0);
});

it("turns axes in place only where nothing but ones moves", () => {
  expect(offsetOf([1, 4, 3], (x) => transpose(x, [1, 0, 2]))).toBe(0);
  expect(offsetOf([4, 1, 3], (x) => transpose(x, [1, 0, 2]))).toBe(0);
  expect(offsetOf([4, 3], (x) => transpose(x, [1, 0]))).toBeNull();
  expect(offsetOf([2, 1, 3], (x) => transpose(x, [2, 1, 0]))).toBeNull();
});

it("takes a stretch of rows where it lies, from the front or the back", () => {
  expect(offsetOf([5, 3], (x) => slice(x, 0, 2, 4))).toBe(24);
  expect(offsetOf([5, 3], (x) => slice(x, 0, -2, Infinity))).toBe(36);
  expect(offsetOf([1, 5, 3], (x) => slice(x, 1, 1, 5))).toBe(12);
  expect(offsetOf([2, 5], (x) => slice(x, 1, 1, 3))).toBeNull();
  expect(offsetOf([6], (x) => slice(x, 0, 0, 6, 2))).toBeNull();
});

it("leaves to kernels what changes numbers", () => {
  expect(offsetOf([3], neg)).toBeNull();
  expect(offsetOf([1, 3], (x) => expand(x, [2, 3]))).toBeNull();
  expect(offsetOf([3], (x) => cast(x, "float32"), "int32")).toBeNull();
  expect(offsetOf([3], (x) => cast(x, "int32"))).toBeNull();
  expect(offsetOf([3], (x) => cast(x, "bool"), "int32")).toBeNull(); // 2 becomes 1
});
