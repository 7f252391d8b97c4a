import { expect, test } from "vitest";
import { agreementOf, calibrationOf, type RatedPair } from "./agreement.ts";

const pairs = (both: number, judgeOnly: number, truthOnly: number, neither: number): RatedPair[] => {
  const some = (count: number, judge: number, truth: number): RatedPair[] =>
    Array.from({ length: count }, () => ({ judge, truth, pYes: null }));
  return [...some(both, 1, 1), ...some(judgeOnly, 1, 0), ...some(truthOnly, 0, 1), ...some(neither, 0, 0)];
};

test("the textbook's table: 20, 5, 10, 15 give accuracy .7 and kappa .4", () => {
  const agreement = agreementOf(pairs(20, 5, 10, 15));
  expect(agreement).toMatchObject({ n: 50, missing: 0, both: 20, judgeOnly: 5, truthOnly: 10, neither: 15 });
  expect(agreement.accuracy).toBeCloseTo(0.7, 12);
  expect(agreement.kappa).toBeCloseTo(0.4, 12);
});

test("the same accuracy with unequal shares is another kappa", () => {
  expect(agreementOf(pairs(45, 15, 25, 15)).kappa).toBeCloseTo(0.1304, 4);
  expect(agreementOf(pairs(25, 35, 5, 35)).kappa).toBeCloseTo(0.2593, 4);
});

test("always alike is 1, always the other way is -1, all of one kind has no kappa", () => {
  expect(agreementOf(pairs(5, 0, 0, 5)).kappa).toBe(1);
  expect(agreementOf(pairs(0, 5, 5, 0)).kappa).toBe(-1);
  expect(agreementOf(pairs(7, 0, 0, 0))).toMatchObject({ accuracy: 1, kappa: null });
  expect(agreementOf(pairs(7, 2, 0, 0)).kappa).toBe(0);
});

test("a judge that always says the same agrees by chance alone: exactly 0", () => {
  expect(agreementOf(pairs(0, 4, 0, 11)).kappa).toBe(0);
  expect(agreementOf(pairs(0, 0, 4, 11)).kappa).toBe(0);
});

test("what one of them did not rate is counted and left out; without pairs there is no number", () => {
  const some: RatedPair[] = [
    { judge: null, truth: 1, pYes: null },
    { judge: 1, truth: null, pYes: null },
    { judge: 0.6, truth: 1, pYes: null },
  ];
  expect(agreementOf(some)).toMatchObject({ n: 1, missing: 2, accuracy: 1 });
  expect(agreementOf([])).toMatchObject({ n: 0, accuracy: null, kappa: null });
});

test("calibration: bins, their error, and the threshold that would agree best", () => {
  const rated = (pYes: number, truth: number): RatedPair => ({ judge: pYes >= 0.5 ? 1 : 0, truth, pYes });
  const calibration = calibrationOf([
    rated(0.1, 0),
    rated(0.3, 1),
    rated(0.35, 1),
    rated(0.9, 1),
    rated(1, 1),
  ]);
  expect(calibration?.bins.map(({ n }) => n)).toEqual([1, 2, 0, 0, 2]);
  expect(calibration?.bins[1]).toMatchObject({ met: 1 });
  expect(calibration?.bins[1]?.said).toBeCloseTo(0.325, 12);
  // (.1 + 2 x .675 + 2 x .05) / 5
  expect(calibration?.error).toBeCloseTo(0.31, 12);
  expect(calibration?.bestThreshold).toBeCloseTo(0.2, 12);
  expect(calibration?.bestAccuracy).toBe(1);
  expect(calibrationOf([{ judge: 1, truth: 1, pYes: null }])).toBeNull();
});
