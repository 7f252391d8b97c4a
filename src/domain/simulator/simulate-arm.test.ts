import { describe, expect, it } from "vitest";
import { caseRng } from "../../testing/criteria.ts";
import { plainRun } from "../../testing/plain-simulator.ts";
import { rewardRuleNames } from "../run/spec.ts";
import { simulatorSettingsSchema, type SimulatorSettings } from "./settings.ts";
import { simulateArm, startArm, stepArm } from "./simulate-arm.ts";
import { drawWorld } from "./world.ts";

/** Settings that differ in everything a rule reads; few criteria now and then, so that the binary reward is not always 0. */
function randomSettings(index: number): SimulatorSettings {
  const rng = caseRng("simulator", index);
  const criteria = index % 2 === 0 ? 1 + rng.below(4) : 5 + rng.below(20);
  return simulatorSettingsSchema.parse({
    criteria,
    categories: 1 + rng.below(Math.min(4, criteria)),
    flatShare: rng.next() / (index % 2 === 0 ? 3 : 1),
    flatWeight: 0.5 + 9 * rng.next(),
    flatPlaces: rng.next() < 0.5 ? "even" : "gathered",
    judgeNoise: index % 3 === 0 ? 0 : 0.2 * rng.next(),
    num_generations: 2 + rng.below(15),
    scale_rewards: (["group", "batch", "none"] as const)[index % 3],
    lambda: rng.next(),
    alpha_min: 0.1 + 0.9 * rng.next(),
    alpha_max: 1 + 5 * rng.next(),
    beta_ema: 0.1 + 0.9 * rng.next(),
    alpha_interval: 1 + rng.below(3),
    steps: 25,
    goalStep: 10,
  });
}

describe("a simulated run", () => {
  it("takes the same steps as the trainer's own rules, advantages and alpha, by every rule", () => {
    let moved = 0;
    for (let index = 0; index < 24; index++) {
      const settings = randomSettings(index);
      for (const rule of rewardRuleNames) {
        const plain = plainRun(settings, rule, index);
        const { score, flatAlpha, mixedAlpha } = simulateArm(settings, rule, index);
        const { flat } = drawWorld(settings, index);
        plain.forEach((step, at) => {
          expect(score[at], `${rule} ${index}, step ${at}`).toBeCloseTo(step.score, 9);
          for (const [mean, wanted] of [
            [flatAlpha[at], true],
            [mixedAlpha[at], false],
          ] as const) {
            const own = step.alpha.filter((_, j) => flat[j] === wanted);
            if (own.length === 0) expect(mean).toBeNaN();
            else expect(mean).toBeCloseTo(own.reduce((sum, a) => sum + a, 0) / own.length, 9);
          }
        });
        if (score[25] !== score[0]) moved++;
      }
    }
    // where nothing moves, nothing was compared
    expect(moved).toBeGreaterThan(80);
  });

  it("learns nothing from a reward that is never earned", () => {
    const { score } = simulateArm(simulatorSettingsSchema.parse({}), "binary", 1);
    expect(score[300]).toBe(score[0]);
  });

  it("raises the one criterion there is, by the mean of A_i (s_i - p)", () => {
    const settings = simulatorSettingsSchema.parse({
      criteria: 1,
      categories: 1,
      flatShare: 0,
      judgeNoise: 0,
    });
    const arm = startArm(settings, "static-scalar", 3);
    const logit = arm.logits[0] ?? Number.NaN;
    const p = arm.passRates[0] ?? Number.NaN;
    stepArm(arm);
    const met = [...arm.own].filter((verdict) => verdict === 1).length;
    const std = Math.sqrt((met * (16 - met)) / (16 * 15));
    // A is (1 - m) / (std + 1e-4) or -m / (std + 1e-4), m = met / 16; the p of (s - p) cancels
    const m = met / 16;
    const gradient = (met * (1 - m) * (1 - p) + (16 - met) * -m * -p) / (std + 1e-4) / 16;
    expect(met).toBeGreaterThan(0);
    expect(arm.logits[0]).toBeCloseTo(logit + 0.3 * gradient, 12);
  });

  it("judges by the flipped verdicts and learns by the rollouts' own", () => {
    const settings = simulatorSettingsSchema.parse({
      criteria: 2,
      categories: 1,
      flatShare: 0,
      judgeNoise: 0.5,
    });
    const arm = startArm(settings, "static-scalar", 1);
    stepArm(arm);
    const flipped = arm.own.filter((verdict, at) => verdict !== arm.judged[at]).length;
    expect(flipped).toBeGreaterThan(8);
    expect(flipped).toBeLessThan(24);
  });

  it("repeats itself, and differs by seed", () => {
    const settings = simulatorSettingsSchema.parse({ steps: 20, goalStep: 10 });
    const run = (seed: number): number[] => [...simulateArm(settings, "pow3r", seed).score];
    expect(run(2)).toEqual(run(2));
    expect(run(2)).not.toEqual(run(3));
  });
});

describe("the world", () => {
  const worldOf = (settings: object, seed = 1) => drawWorld(simulatorSettingsSchema.parse(settings), seed);

  it("has three flat and two mixed criteria in each of four categories, by default", () => {
    const { criteria, flat } = worldOf({});
    for (const name of new Set(criteria.map(({ category }) => category))) {
      const own = flat.filter((_, j) => criteria[j]?.category === name);
      expect(own).toEqual([true, true, true, false, false]);
    }
    expect(criteria.map(({ weight }) => weight)).toEqual(flat.map((isFlat) => (isFlat ? 10 : 1)));
  });

  it("draws flat rates of .004 or .99 and mixed ones between .1 and .4", () => {
    const worlds = Array.from({ length: 40 }, (_, seed) => worldOf({}, seed));
    const rates = (wanted: boolean) =>
      worlds.flatMap(({ passRates, flat }) => passRates.filter((_, j) => flat[j] === wanted));
    const [flat, mixed] = [rates(true), rates(false)];
    expect(new Set(flat)).toEqual(new Set([0.004, 0.99]));
    const dead = flat.filter((rate) => rate === 0.004).length / flat.length;
    expect(Math.abs(dead - 0.5)).toBeLessThan(0.08);
    expect(Math.min(...mixed)).toBeGreaterThanOrEqual(0.1);
    expect(Math.min(...mixed)).toBeLessThan(0.12);
    expect(Math.max(...mixed)).toBeLessThanOrEqual(0.4);
    expect(Math.max(...mixed)).toBeGreaterThan(0.38);
  });

  it("keeps the share of flat criteria where it does not divide, and gathers them on demand", () => {
    for (const [criteria, categories, flatShare] of [
      [20, 4, 0.5],
      [17, 3, 0.4],
      [7, 7, 0.3],
    ] as const) {
      for (const flatPlaces of ["even", "gathered"]) {
        const { flat } = worldOf({ criteria, categories, flatShare, flatPlaces });
        expect(flat.filter(Boolean).length).toBe(Math.round(criteria * flatShare));
      }
    }
    const { criteria, flat } = worldOf({ flatShare: 0.5, flatPlaces: "gathered" });
    expect(flat.lastIndexOf(true)).toBe(9);
    expect(criteria[9]?.category).not.toBe(criteria[10]?.category);
  });
});
