import { describe, expect, it } from "vitest";
import { mapDataSchema } from "../experiment/map-data.ts";
import { quantileOf } from "../experiment/seed-statistics.ts";
import { compareRules, simulateSeed, summariseRules } from "./compare-rules.ts";
import { simulatorSettingsSchema } from "./settings.ts";
import { simulateArm } from "./simulate-arm.ts";
import { simulatedMap } from "./simulated-map.ts";

const SMALL = simulatorSettingsSchema.parse({
  criteria: 5,
  categories: 1,
  steps: 30,
  goalStep: 20,
  seeds: 4,
});

describe("rules over seeds", () => {
  it("gives the first step at which each seed reaches its own static's score, and the gain", () => {
    const { rules, seeds } = compareRules(SMALL, ["static-scalar", "pow3r"]);
    const runs = [1, 2, 3, 4].map((seed) => ({
      goal: simulateArm(SMALL, "static-scalar", seed).score[20] ?? Number.NaN,
      score: simulateArm(SMALL, "pow3r", seed).score,
    }));
    const first = runs.map(({ goal, score }) => score.findIndex((value) => value >= goal));
    const reached = first.filter((step) => step >= 0);
    const pow3r = rules[1];
    expect(seeds).toBe(4);
    // static meets its own goal at the goal step at the latest
    expect(rules[0]?.stepsToBaseline?.reached).toBe(4);
    expect(rules[0]?.stepsToBaseline?.median).toBeLessThanOrEqual(20);
    expect(pow3r?.stepsToBaseline).toMatchObject({ reached: reached.length, seeds: 4 });
    const median = quantileOf(
      first.map((step) => (step < 0 ? Infinity : step)),
      0.5,
    );
    expect(pow3r?.stepsToBaseline?.median).toBe(Number.isFinite(median) ? median : null);
    expect(pow3r?.speedUp).toBe(Number.isFinite(median) ? 20 / median : null);
    const gains = runs.map(({ score }) => (score[30] ?? 0) - (score[0] ?? 0));
    expect(pow3r?.gain.mean).toBeCloseTo(gains.reduce((sum, gain) => sum + gain, 0) / 4, 12);
  });

  it("draws the middle half of the seeds at steps from the first to the last", () => {
    const runs = [1, 2, 3].map((seed) => simulateSeed(SMALL, ["gdpo"], seed));
    const { drawnSteps, rules } = summariseRules(SMALL, ["gdpo"], runs);
    expect([drawnSteps[0], drawnSteps.at(-1), drawnSteps.length]).toEqual([0, 30, 31]);
    const at20 = runs.map(
      ({ arms: [run] }) => (run?.score[20] ?? Number.NaN) - (run?.score[0] ?? Number.NaN),
    );
    const gained = rules[0]?.gained;
    expect([gained?.low[20], gained?.median[20], gained?.high[20]]).toEqual(
      [0.25, 0.5, 0.75].map((q) => quantileOf(at20, q)),
    );
    const long = simulatorSettingsSchema.parse({ criteria: 2, categories: 1, steps: 1000, seeds: 1 });
    const many = compareRules(long, ["static-scalar"]);
    expect(many.drawnSteps.length).toBe(101);
    expect(many.drawnSteps.at(-1)).toBe(1000);
  });
});

describe("the simulated map", () => {
  it("has a cell for each noise and weight, in the form that training fills too", () => {
    const cells = [...simulatedMap(SMALL)];
    expect(mapDataSchema.parse({ baseline: "static-scalar", cells }).cells).toEqual(cells);
    expect(cells.map(({ judgeNoise, flatWeight }) => [judgeNoise, flatWeight])).toEqual(
      [0, 0.03, 0.08].flatMap((noise) => [1, 5, 10].map((weight) => [noise, weight])),
    );
    const { rules } = compareRules({ ...SMALL, judgeNoise: 0.08, flatWeight: 10 }, ["pow3r"]);
    const pow3r = cells[8]?.arms.find(({ arm }) => arm === "pow3r");
    expect(pow3r?.finalScore).toEqual(rules[0]?.finalScore);
  });
});

describe("simulator settings", () => {
  it("name what does not fit together", () => {
    const problems = (settings: object) =>
      simulatorSettingsSchema.safeParse(settings).error?.issues.map((issue) => issue.path.join("."));
    expect(problems({ criteria: 3, categories: 4 })).toEqual(["categories"]);
    expect(problems({ steps: 100, goalStep: 101 })).toEqual(["goalStep"]);
    expect(problems({ alpha_min: 1.5 })).toEqual(["alpha_min"]);
  });
});
