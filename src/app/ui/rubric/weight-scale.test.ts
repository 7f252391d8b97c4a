import { expect, test } from "vitest";
import { keyedWeight, snapped, weightScale } from "./weight-scale.ts";

test("the scale is the rubric's own", () => {
  expect(weightScale([0.3, 1, 0])).toEqual({ most: 1, step: 0.05 });
  expect(weightScale([1, 3])).toEqual({ most: 10, step: 0.5 });
  expect(weightScale([1, 1000])).toEqual({ most: 1000, step: 50 });
  expect(weightScale([])).toEqual({ most: 1, step: 0.05 });
});

test("keys go by steps and stop at the ends; others move nothing", () => {
  const scale = weightScale([3]);
  expect(keyedWeight("ArrowRight", 3, scale)).toBe(3.5);
  expect(keyedWeight("ArrowDown", 0, scale)).toBe(0);
  expect(keyedWeight("PageUp", 9, scale)).toBe(10);
  expect(keyedWeight("Home", 9, scale)).toBe(0);
  expect(keyedWeight("End", 9, scale)).toBe(10);
  expect(keyedWeight("Tab", 9, scale)).toBeNull();
  expect(keyedWeight("ArrowLeft", 0.7, weightScale([0.7]))).toBe(0.65);
});

test("a dragged weight falls on the steps", () => {
  expect(snapped(3.26, weightScale([3]))).toBe(3.5);
  expect(snapped(0.333, weightScale([1]))).toBe(0.35);
  expect(snapped(99, weightScale([3]))).toBe(10);
});
