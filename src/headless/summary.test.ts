import { describe, expect, test } from "vitest";
import type { Evaluation } from "../domain/run/records.ts";
import { cellsOf, parseExperiment, type ExperimentCell } from "../domain/experiment/experiment-file.ts";
import { estimate, summarise, type SeedRows } from "./summary.ts";
import { summaryTable } from "./summary-table.ts";

function run(seed: number, curves: Readonly<Record<string, readonly (number | null)[]>>): SeedRows {
  const rows = Object.entries(curves).flatMap(([arm, scores]) =>
    scores.map((score, at): Evaluation => ({
      kind: "evaluation",
      arm,
      step: at * 5,
      rubricVersion: 1,
      samples: 8,
      score,
      balancedScore: score,
      strictCompletion: null,
      learningPassRate: score,
      categories: {},
      criteria: [],
      meanLength: 10,
    })),
  );
  return { seed, rows };
}

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

describe("a summary", () => {
  const runs = [
    run(1, { pow3r: [0.5, 0.7, 0.8], static: [0.5, 0.6, 0.7] }),
    run(2, { pow3r: [0.4, 0.5, 0.7], static: [0.4, 0.6, 0.6] }),
    run(3, { pow3r: [0.5, 0.6, 0.6], static: [0.5, 0.5, 0.7] }),
  ];
  const summary = summarise(runs, ["pow3r", "static"], "static");
  const [pow3r, baseline] = summary.arms;

  test("holds a curve of means per arm", () => {
    expect(summary.steps).toEqual([0, 5, 10]);
    expect(pow3r?.curve.map(({ score }) => score.mean?.toFixed(4))).toEqual(["0.4667", "0.6000", "0.7000"]);
    expect(pow3r?.curve[1]?.strictCompletion.mean).toBeNull();
  });

  test("pairs differences by seed", () => {
    expect(pow3r?.ahead.score.mean).toBeCloseTo((0.1 + 0.1 - 0.1) / 3, 12);
    expect(pow3r?.ahead.score.seedsAhead).toBe(2);
    expect(baseline?.ahead.score).toMatchObject({ mean: 0, seedsAhead: 0 });
  });

  test("tells the step at which an arm reaches the baseline's final score", () => {
    expect(pow3r?.medianStepToBaseline).toBe(10); // 5, 10 and never
    expect(pow3r?.meanCurveStepToBaseline).toBe(10);
    const slow = [1, 2, 3].map((seed) => run(seed, { a: [0, 0, 0], static: [0, 0, 1] }));
    expect(summarise(slow, ["a"], "static").arms[0]?.medianStepToBaseline).toBeNull();
  });

  test("becomes a table with every arm and a dash where there is no number", () => {
    const experiment = parseExperiment(
      JSON.stringify({
        name: "e",
        question: "Who learns?",
        scenario: "customer-reply",
        setUp: "heavy",
        seeds: [1, 2, 3],
        arms: [
          { id: "pow3r", rule: "pow3r" },
          { id: "static", rule: "static-scalar" },
        ],
        baseline: "static",
      }),
      "e.json",
    );
    const table = summaryTable(experiment, cellsOf(experiment)[0] as ExperimentCell, "model", summary);
    expect(table).toContain("| pow3r | 0.700 ± 0.248 |");
    expect(table).toContain("ahead in 2 of 3");
    expect(table).toContain("| — |");
  });
});
