import { describe, expect, it } from "vitest";
import { meanInterval, medianSteps, quantileOf } from "./seed-statistics.ts";

describe("quantiles", () => {
  it("interpolate, and pass infinity on", () => {
    expect(quantileOf([4, 1, 3, 2], 0.5)).toBe(2.5);
    expect(quantileOf([4, 1, 3, 2], 0.25)).toBe(1.75);
    expect(quantileOf([5, Infinity, Infinity], 0.5)).toBe(Infinity);
    expect(quantileOf([5, Infinity, 7], 0.5)).toBe(7);
    expect(quantileOf([], 0.5)).toBeNaN();
  });
});

describe("a mean over seeds", () => {
  it("has a t-interval from two seeds on", () => {
    // std 1, n 4: 3.182 / 2
    const { mean, low, high } = meanInterval([1, 2, 3, 2 + Math.sqrt(1)]);
    expect(mean).toBe(2.25);
    const std = Math.sqrt((1.25 ** 2 + 0.25 ** 2 + 0.75 ** 2 * 2) / 3);
    expect(high).toBeCloseTo(2.25 + (3.182 * std) / 2, 12);
    expect(low).toBeCloseTo(2.25 - (3.182 * std) / 2, 12);
    expect(meanInterval([5])).toEqual({ mean: 5, low: null, high: null });
  });
});

describe("median steps to a goal", () => {
  it("count seeds that never reach it as later than all others", () => {
    expect(medianSteps([10, Infinity, 30, 20])).toMatchObject({ median: 25, reached: 3, seeds: 4 });
    expect(medianSteps([10, Infinity, Infinity])).toMatchObject({ median: null, reached: 1, seeds: 3 });
  });

  it("have a bootstrap interval as wide as the seeds differ", () => {
    expect(medianSteps([7, 7, 7, 7])).toMatchObject({ median: 7, low: 7, high: 7 });
    const steps = Array.from({ length: 101 }, (_, i) => i);
    const { low, high } = medianSteps(steps);
    // the median of n uniform values has a standard error near width / (2 sqrt n) = 5
    expect(low).toBeGreaterThan(35);
    expect(low).toBeLessThan(45);
    expect(high).toBeGreaterThan(55);
    expect(high).toBeLessThan(65);
    // half of the seeds never: the upper end is never too
    expect(medianSteps([1, 2, 3, Infinity, Infinity])).toMatchObject({ median: 3, high: null });
  });
});
