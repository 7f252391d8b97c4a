import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { RunSpec } from "../run/spec.ts";
import { customerReply } from "../scenarios/customer-reply.ts";
import { cellsOf, parseExperiment, specOfSeed } from "./experiment-file.ts";
import type { Experiment } from "./experiment-schema.ts";

const path = "experiments/opening-scenario.json";
const text = readFileSync(path, "utf8");
const specsOf = (experiment: Experiment): RunSpec[] =>
  cellsOf(experiment).flatMap((cell) => cell.seeds.map((seed) => specOfSeed(experiment, cell, seed, path)));

test.each(["opening-scenario", "mild", "pow3r-map", "pow3r-ablations"])(
  "the bundled experiment %s makes a run of every seed",
  (name) => {
    const file = `experiments/${name}.json`;
    const experiment = parseExperiment(readFileSync(file, "utf8"), file);
    expect(experiment.name).toBe(name);
    const cells = cellsOf(experiment);
    const specs = specsOf(experiment);
    expect(specs.map((spec) => spec.seed)).toEqual(cells.flatMap((cell) => cell.seeds));
    for (const spec of specs) {
      expect(spec.grpo.max_steps).toBe(60);
      expect(spec.arms.every((arm) => arm.pow3r.alpha_update === "step")).toBe(true);
    }
    const noises = new Set(specs.map((spec) => spec.judgeNoise));
    expect([...noises]).toEqual(name === "mild" ? [0] : name === "pow3r-map" ? [0, 0.03, 0.08] : [0.03]);
  },
);

test("the map has 8 seeds in its corners and in the opening scenario's cell, 2 elsewhere", () => {
  const map = parseExperiment(readFileSync("experiments/pow3r-map.json", "utf8"), "map");
  const seeds = cellsOf(map).map(({ judgeNoise, flatWeight, seeds: { length }, evaluationSamples }) => {
    return [judgeNoise, flatWeight, length, evaluationSamples];
  });
  expect(seeds).toEqual([
    [0, 1, 8, 200],
    [0, 5, 2, 200],
    [0, 10, 8, 200],
    [0.03, 1, 2, 200],
    [0.03, 5, 2, 200],
    [0.03, 10, 8, 200],
    [0.08, 1, 8, 200],
    [0.08, 5, 2, 200],
    [0.08, 10, 8, 200],
  ]);
  const opening = specsOf(map).find(
    ({ judgeNoise, rubric }) => judgeNoise === 0.03 && rubric.criteria[3]?.weight === 10,
  );
  expect(opening?.rubric).toEqual(customerReply.setUps[0].rubric);
});

test.each([
  ["a baseline that is no arm", { baseline: "nobody" }, "baseline"],
  ["a seed twice", { seeds: [1, 1] }, "seeds: expected seeds that differ"],
  ["a seed beyond 32 bits", { seeds: [2 ** 32] }, "seeds[0]"],
  ["an unknown field", { sedes: [1] }, "experiment.json"],
  ["an unknown rule", { arms: [{ id: "a", rule: "magic" }], baseline: "a" }, "arms[0].rule"],
  ["a cell twice", { cells: [{ id: "a" }, { id: "a" }] }, "cells: expected ids that differ"],
  [
    "a cell without the baseline",
    { cells: [{ id: "a", arms: [{ id: "b", rule: "gdpo" }] }] },
    "cells[0].arms",
  ],
  [
    "a setting out of its bounds",
    { cells: [{ id: "a", grpo: { beta: -1 } }] },
    "cells[0].grpo.beta: expected at least 0",
  ],
  ["a setting of another's", { arms: [{ id: "a", rule: "pow3r", pow3r: { beta: 1 } }] }, "arms[0].pow3r"],
  ["rollouts of an arm's own", { arms: [{ id: "a", rule: "gdpo", grpo: { top_k: 5 } }] }, "arms[0].grpo"],
  ["a flat weight of nothing", { flatWeight: 0 }, "flatWeight: expected more than 0, got 0"],
])("refuses %s", (_name, change, where) => {
  const changed = JSON.stringify({ ...(JSON.parse(text) as object), ...change });
  expect(() => parseExperiment(changed, "experiment.json")).toThrow(where);
});

test.each([
  ["scenario", { scenario: "nowhere" }, "customer-reply"],
  ["set-up", { setUp: "nothing" }, "heavy"],
  ["warm-up", { grpo: { warmup_steps: 90 } }, "grpo.warmup_steps: expected at most max_steps, 60"],
])("refuses an unknown %s, naming what there is", (_name, change, says) => {
  const changed = JSON.stringify({ ...(JSON.parse(text) as object), ...change });
  expect(() => specsOf(parseExperiment(changed, path))).toThrow(says);
});

test("a cell takes from the experiment what it does not say, and weighs the scenario's flat criteria", () => {
  const changed = {
    ...(JSON.parse(text) as object),
    judgeNoise: 0.08,
    flatWeight: 5,
    grpo: { max_steps: 60, beta: 0.1 },
    cells: [
      { id: "as-the-file", seeds: [1] },
      { id: "own", seeds: [2], judgeNoise: 0, flatWeight: 1, evaluationSamples: 9, grpo: { max_steps: 3 } },
    ],
  };
  const [first, own] = specsOf(parseExperiment(JSON.stringify(changed), path));
  expect(first).toMatchObject({ seed: 1, judgeNoise: 0.08, evaluationSamples: 256 });
  expect(own).toMatchObject({ seed: 2, judgeNoise: 0, evaluationSamples: 9 });
  expect([first?.grpo, own?.grpo]).toMatchObject([
    { max_steps: 60, beta: 0.1 },
    { max_steps: 3, beta: 0.1 },
  ]);
  const weights = (spec: RunSpec | undefined): object =>
    Object.fromEntries(spec?.rubric.criteria.map(({ id, weight }) => [id, weight]) ?? []);
  expect(weights(first)).toMatchObject({
    "no-emoji": 5,
    "cites-warranty": 5,
    "gives-date": 1,
    "well-formed": 3,
  });
  expect(weights(own)).toMatchObject({
    "no-emoji": 1,
    "cites-warranty": 1,
    "gives-date": 1,
    "well-formed": 3,
  });
});

test("an arm has its own constants and update settings, over the set-up's and the experiment's", () => {
  const pow3r = {
    id: "wide",
    rule: "pow3r",
    pow3r: { alpha_min: 0.1, alpha_update: "epoch" },
    grpo: { scale_rewards: "none" },
  };
  const changed = {
    ...(JSON.parse(text) as object),
    arms: [pow3r, { id: "plain", rule: "gdpo" }],
    baseline: "plain",
  };
  const [spec] = specsOf(parseExperiment(JSON.stringify({ $schema: "../x.json", ...changed }), path));
  expect(spec?.arms).toMatchObject([
    { pow3r: { alpha_min: 0.1, alpha_max: 2, alpha_update: "epoch" }, grpo: { scale_rewards: "none" } },
    { pow3r: { alpha_min: 0.5, alpha_update: "step" } },
  ]);
  expect(spec?.arms[1]).not.toHaveProperty("grpo");
});
