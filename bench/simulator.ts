/**
 * Group updates a second of the simulator on one core, over every reward rule: 20 criteria, a group of 16. The peer is the
 * same run through the trainer's own rules, with an object a verdict.
 */
import { rewardRuleNames } from "../src/domain/run/spec.ts";
import { simulatorSettingsSchema } from "../src/domain/simulator/settings.ts";
import { simulateArm } from "../src/domain/simulator/simulate-arm.ts";
import { plainRun } from "../src/testing/plain-simulator.ts";
import { type Bench, pairedFigure } from "./figure.ts";
import { median } from "./statistics.ts";

const PAIRS = 5;
/** Ours takes as long as one seed of the peer, about. */
const SEEDS = 10;
const settings = simulatorSettingsSchema.parse({});

function updatesPerSecond(seeds: number, run: (seed: number) => void): number {
  const from = performance.now();
  for (let seed = 1; seed <= seeds; seed++) run(seed);
  return (1000 * seeds * settings.steps) / (performance.now() - from);
}

export const simulator: Bench = ({ pairs, print }) => {
  const measured = rewardRuleNames.map((rule) => {
    const pair = (): { ours: number; peer: number } => ({
      ours: updatesPerSecond(SEEDS, (seed) => simulateArm(settings, rule, seed)),
      peer: updatesPerSecond(1, (seed) => plainRun(settings, rule, seed)),
    });
    pair(); // compiles
    const own = Array.from({ length: pairs ?? PAIRS }, pair);
    print(`${rule}: ${Math.round(median(own.map(({ ours }) => ours)))} updates/s`);
    return own;
  });
  return Promise.resolve([pairedFigure("simulator", "updates/s", "higher", measured.flat())]);
};
