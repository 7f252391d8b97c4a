import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { seedRows } from "../../testing/seed-rows.ts";
import { cellsOf, parseExperiment, type ExperimentCell } from "./experiment-file.ts";
import { mapDataSchema } from "./map-data.ts";
import { summarise } from "./summary.ts";
import { isMap, trainingCell } from "./training-map.ts";

const [plain] = cellsOf(
  parseExperiment(readFileSync("experiments/opening-scenario.json", "utf8"), "opening"),
) as [ExperimentCell];
const cell = { ...plain, judgeNoise: 0.03, flatWeight: 10, evaluationSamples: 200 };
const runs = [
  seedRows(1, { pow3r: [0.5, 0.7, 0.8], "static-scalar": [0.5, 0.6, 0.7] }),
  seedRows(2, { pow3r: [0.5, 0.7, 0.9], "static-scalar": [0.5, 0.6, 0.7] }),
];
const summary = summarise(runs, {
  arms: ["pow3r", "static-scalar", "category-balanced"],
  baseline: "static-scalar",
});

describe("a cell of the map", () => {
  test("has each arm's end, gain and steps to the baseline's end, and no arm without a number", () => {
    const made = trainingCell(cell, summary);
    expect(made).toMatchObject({
      source: "training",
      judgeNoise: 0.03,
      flatWeight: 10,
      seeds: 2,
      samples: 200,
      steps: 10,
      goalStep: 10,
    });
    expect(made?.arms.map(({ arm }) => arm)).toEqual(["pow3r", "static-scalar"]);
    const [pow3r] = made?.arms ?? [];
    expect(pow3r).toMatchObject({ rule: "pow3r", speedUp: 2, stepsToBaseline: { median: 5, reached: 2 } });
    // .8 and .9: half-width 12.706 * .0707 / sqrt 2
    expect(pow3r?.finalScore.mean).toBeCloseTo(0.85, 12);
    expect(pow3r?.finalScore.high).toBeCloseTo(0.85 + 0.6353, 6);
    expect(pow3r?.finalScore.low).toBeCloseTo(0.85 - 0.6353, 6);
    expect(pow3r?.gain.mean).toBeCloseTo(0.35, 12);
    expect(() => mapDataSchema.parse({ baseline: "static-scalar", cells: [made] })).not.toThrow();
  });

  test("is none off the map, or without the baseline's numbers", () => {
    expect(trainingCell(plain, summary)).toBeNull();
    const without = summarise([seedRows(1, { pow3r: [0.5] })], {
      arms: ["pow3r"],
      baseline: "static-scalar",
    });
    expect(trainingCell(cell, without)).toBeNull();
  });
});

test("an experiment is a map where its cells lie apart on both axes", () => {
  const withCells = (cells: object[]): boolean => {
    const file = JSON.parse(readFileSync("experiments/opening-scenario.json", "utf8")) as object;
    return isMap(parseExperiment(JSON.stringify({ ...file, cells }), "cells"));
  };
  const place = { judgeNoise: 0, flatWeight: 1 };
  expect(
    withCells([
      { id: "a", ...place },
      { id: "b", ...place, flatWeight: 5 },
    ]),
  ).toBe(true);
  expect(
    withCells([
      { id: "a", ...place },
      { id: "b", ...place },
    ]),
  ).toBe(false);
  expect(
    withCells([
      { id: "a", ...place },
      { id: "b", judgeNoise: 0.1 },
    ]),
  ).toBe(false);
  expect(withCells([{ id: "a", ...place }])).toBe(false);
});
