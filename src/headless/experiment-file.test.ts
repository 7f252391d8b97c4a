import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { chooseSeeds, parseExperiment, specOfSeed } from "./experiment-file.ts";

const path = "experiments/opening-scenario.json";
const text = readFileSync(path, "utf8");

test.each(["opening-scenario", "mild"])("the bundled experiment %s makes a run of every seed", (name) => {
  const file = `experiments/${name}.json`;
  const experiment = parseExperiment(readFileSync(file, "utf8"), file);
  const specs = experiment.seeds.map((seed) => specOfSeed(experiment, seed, file));
  expect(specs.map((spec) => spec.seed)).toEqual(experiment.seeds);
  for (const spec of specs) {
    expect(spec.grpo.max_steps).toBe(60);
    expect(spec.arms.every((arm) => arm.pow3r.alpha_update === "step")).toBe(true);
    expect(spec.judgeNoise).toBe(name === "mild" ? 0 : 0.03);
  }
});

test.each([
  ["a baseline that is no arm", { baseline: "nobody" }, "baseline"],
  ["a seed twice", { seeds: [1, 1] }, "seeds: expected seeds that differ"],
  ["a seed beyond 32 bits", { seeds: [2 ** 32] }, "seeds[0]"],
  ["an unknown field", { sedes: [1] }, "experiment.json"],
  ["an unknown rule", { arms: [{ id: "a", rule: "magic" }], baseline: "a" }, "arms[0].rule"],
])("refuses %s", (_name, change, where) => {
  const changed = JSON.stringify({ ...(JSON.parse(text) as object), ...change });
  expect(() => parseExperiment(changed, "experiment.json")).toThrow(where);
});

test.each([
  ["scenario", { scenario: "nowhere" }, "customer-reply"],
  ["set-up", { setUp: "nothing" }, "heavy"],
  ["setting", { grpo: { learning_rate: -1 } }, "grpo.learning_rate"],
])("refuses an unknown %s, naming what there is", (_name, change, says) => {
  const changed = JSON.stringify({ ...(JSON.parse(text) as object), ...change });
  expect(() => specOfSeed(parseExperiment(changed, path), 1, path)).toThrow(says);
});

test("takes seeds of the experiment from the command line, and no others", () => {
  const experiment = parseExperiment(text, path);
  expect(chooseSeeds(experiment, undefined)).toEqual(experiment.seeds);
  expect(chooseSeeds(experiment, "3, 1")).toEqual([3, 1]);
  for (const list of ["99", "1,1", "", "1,", "one"]) {
    expect(() => chooseSeeds(experiment, list)).toThrow(/--seeds: expected some of the experiment's seeds/);
  }
});
