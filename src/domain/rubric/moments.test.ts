import { describe, expect, it } from "vitest";
import { columnOf, meanOf, populationVariance, sampleStd } from "./moments.ts";

describe("moments of what is there", () => {
  it("are numpy's, missing values left out", () => {
    // numpy.mean, var and std(ddof=1) of [1, 4, 2]
    const values = [1, null, 4, 2];
    expect(meanOf(values)).toBeCloseTo(2.3333333333, 9);
    expect(populationVariance(values)).toBeCloseTo(1.5555555556, 9);
    expect(sampleStd(values)).toBeCloseTo(1.5275252317, 9);
  });

  it("are exactly 0 for equal values, and missing for too few", () => {
    expect(populationVariance([0.1, 0.1, 0.1])).toBe(0);
    expect(sampleStd([0.1, 0.1, 0.1])).toBe(0);
    expect([meanOf([null]), populationVariance([]), sampleStd([null, 2]), sampleStd([])]).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  it("take a column, missing where a row has none", () => {
    expect(columnOf([[1, 2], [3]], 1)).toEqual([2, null]);
  });
});
