import { describe, expect, test } from "vitest";
import { seedRows } from "../../testing/seed-rows.ts";
import { estimate, paperRows, scorePairs, summarise } from "./summary.ts";

describe("an estimate over seeds", () => {
  test("is the mean with its 95 % t-interval", () => {
    // R: t.test(c(.6, .7, .65, .75))$conf.int is .5723 .. .7777
    const { mean, halfWidth } = estimate([0.6, 0.7, 0.65, 0.75]);
    expect(mean).toBeCloseTo(0.675, 12);
    expect(halfWidth).toBeCloseTo(0.10271, 4);
  });

  test("leaves out what is missing and tells when there is no interval", () => {
    expect(estimate([null, 0.5])).toEqual({ mean: 0.5, halfWidth: null, seeds: 1 });
    expect(estimate([null])).toEqual({ mean: null, halfWidth: null, seeds: 0 });
  });
});

const runs = [
  seedRows(1, { pow3r: [0.5, 0.7, 0.8], static: [0.5, 0.6, 0.7] }),
  seedRows(2, { pow3r: [0.4, 0.5, 0.7], static: [0.4, 0.6, 0.6] }),
  seedRows(3, { pow3r: [0.5, 0.6, 0.6], static: [0.5, 0.5, 0.7] }),
];
const both = { arms: ["pow3r", "static"], baseline: "static" };

describe("a summary", () => {
  const summary = summarise(runs, both);
  const [pow3r, baseline] = summary.arms;

  test("holds a curve of means per arm, from the base on", () => {
    expect(summary.steps).toEqual([0, 5, 10]);
    expect(summary.base.score.mean).toBeCloseTo(1.4 / 3, 12);
    expect(pow3r?.curve.map(({ score }) => score.mean?.toFixed(4))).toEqual(["0.4667", "0.6000", "0.7000"]);
    expect(pow3r?.curve[1]?.strictCompletion.mean).toBeNull();
  });

  test("pairs gains and differences by seed", () => {
    expect(pow3r?.gain.score.mean).toBeCloseTo((0.3 + 0.3 + 0.1) / 3, 12);
    expect(baseline?.gain.score).toMatchObject({ seeds: 3 });
    expect(baseline?.gain.score.halfWidth).toBeCloseTo(0, 12);
    expect(pow3r?.ahead.score.mean).toBeCloseTo((0.1 + 0.1 - 0.1) / 3, 12);
    expect(pow3r?.ahead.score.seedsAhead).toBe(2);
    expect(baseline?.ahead.score).toMatchObject({ mean: 0, seedsAhead: 0 });
  });

  test("times an arm by the baseline's final score of the same seed", () => {
    // 5, 10 and never
    expect(pow3r?.stepsToGoal).toMatchObject({ median: 10, low: 5, high: null, reached: 2, seeds: 3 });
    expect(pow3r?.speedUp).toBe(1);
    expect(pow3r?.meanCurveStepToGoal).toBe(10);
    // its own final score: 10, 5, 10
    expect(baseline).toMatchObject({ stepsToGoal: { median: 10, reached: 3 }, meanCurveStepToGoal: 10 });
    const quick = summarise([seedRows(1, { a: [0, 1, 1], static: [0, 0, 0.5] })], { ...both, arms: ["a"] });
    expect(quick.arms[0]).toMatchObject({ speedUp: 2, stepsToGoal: { median: 5 } });
  });

  test("says never where most seeds never reach it, and no speed-up where there was nothing to reach", () => {
    const slow = [1, 2, 3].map((seed) => seedRows(seed, { a: [0, 0, 0], static: [0, 0, 1] }));
    const [a] = summarise(slow, { ...both, arms: ["a"] }).arms;
    expect(a).toMatchObject({ speedUp: null, stepsToGoal: { median: null, reached: 0, seeds: 3 } });
    const sunk = [seedRows(1, { a: [0.5, 0.6], static: [0.5, 0.4] })];
    expect(summarise(sunk, { ...both, arms: ["a"] }).arms[0]).toMatchObject({
      speedUp: null,
      stepsToGoal: { median: 0 },
    });
  });

  test("times all arms by one score where the experiment names it", () => {
    const timed = summarise(runs, { ...both, target: 0.6 });
    expect(timed.target).toBe(0.6);
    // pow3r 5, 10, 5; static 5, 5, 10
    expect(timed.arms.map(({ stepsToGoal }) => stepsToGoal.median)).toEqual([5, 5]);
    expect(timed.arms[0]?.speedUp).toBe(1);
    const high = summarise(runs, { ...both, target: 0.65 });
    // pow3r 5, 10, never; static 10, never, 10
    expect(high.arms.map(({ stepsToGoal }) => stepsToGoal.reached)).toEqual([2, 2]);
    expect(high.arms.map(({ speedUp }) => speedUp)).toEqual([1, 1]);
  });

  test("keeps what the steps logged", () => {
    // a run's steps log spreads .1, .2, .3 and norms .5, 1.5, 2.5
    expect(pow3r?.logged.rewardSpread.mean).toBeCloseTo(0.2, 12);
    expect(pow3r?.logged.gradNorm).toMatchObject({ mean: 1.5, seeds: 3 });
    expect(pow3r?.logged).toMatchObject({ teachingShare: { mean: 0.25 }, zeroSpreadShare: { mean: 0 } });
    const other = summarise([seedRows(1, { pow3r: [0.5], static: [0.5, 0.5] })], both);
    expect(other.arms.map(({ logged }) => logged.gradNorm.mean)).toEqual([0.5, 1]);
  });
});

test("the paper's table has the base model first and the arms at the end", () => {
  const rows = paperRows(summarise([seedRows(1, { pow3r: [0.5, 0.7], static: [0.5, 0.6] }, 0.2)], both));
  expect(rows.map(({ arm, score, strictCompletion }) => [arm, score.mean, strictCompletion.mean])).toEqual([
    [null, 0.5, 0.2],
    ["pow3r", 0.7, 0.2],
    ["static", 0.6, 0.2],
  ]);
});

test("the scatter has a point for every evaluation with both numbers", () => {
  const points = scorePairs([seedRows(4, { a: [0.5, null, 0.7] }, 0.2), seedRows(5, { a: [0.5] })]);
  expect(points).toEqual([
    { arm: "a", seed: 4, step: 0, score: 0.5, strictCompletion: 0.2 },
    { arm: "a", seed: 4, step: 10, score: 0.7, strictCompletion: 0.2 },
  ]);
});
