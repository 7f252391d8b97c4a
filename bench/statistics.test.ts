/** The benches' arithmetic on numbers worked out by hand. */
import { expect, test } from "vitest";
import { comparePairs, fitPowerLaw, median, quantile, ratioOf, relativeSpread } from "./statistics.ts";

test("takes the middle of sorted values, and the mean of the middle two", () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([10, 1, 4, 2])).toBe(3);
  expect(quantile([0, 10, 20, 30, 40], 0.75)).toBe(30);
  expect(() => median([])).toThrow(/no values/);
});

test("measures spread as the middle half over the median", () => {
  expect(relativeSpread([1, 2, 3, 4, 5])).toBeCloseTo(2 / 3, 12);
  expect(relativeSpread([7, 7, 7])).toBe(0);
});

test("is above 1 where ours is better, whichever way better is", () => {
  expect(ratioOf(200, 100, "higher")).toBe(2);
  expect(ratioOf(200, 100, "lower")).toBe(0.5);
});

test("compares pair by pair, so that a slow spell of the machine cancels", () => {
  const pairs = [
    { ours: 1, peer: 2 },
    { ours: 10, peer: 20 }, // ten times slower for both
    { ours: 1.5, peer: 3 },
  ];
  expect(comparePairs(pairs, "lower")).toEqual({ ours: 1.5, peer: 3, ratio: 2, spread: 0 });
});

test("finds the exponent and the scale of a power law", () => {
  const fit = fitPowerLaw([1, 2, 4, 8].map((x) => [x, 3 * x ** 1.5]));
  expect(fit.exponent).toBeCloseTo(1.5, 12);
  expect(fit.scale).toBeCloseTo(3, 12);
  expect(() => fitPowerLaw([[2, 1], [2, 3]])).toThrow(/two different sizes/); // prettier-ignore
});
