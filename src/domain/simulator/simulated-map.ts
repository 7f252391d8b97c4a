/** The map by simulation: every cell of judge noise x weight on flat criteria, in the form that real training fills too. */
import type { MapCell } from "../experiment/map-data.ts";
import type { RewardRuleName } from "../run/spec.ts";
import { BASELINE, compareRules } from "./compare-rules.ts";
import type { SimulatorSettings } from "./settings.ts";

/** The map's axes: share of flips, and weight of a flat criterion where the others weigh 1. */
export const mapJudgeNoises = [0, 0.03, 0.08] as const;
export const mapFlatWeights = [1, 5, 10] as const;

export const mapCellCount = mapJudgeNoises.length * mapFlatWeights.length;

const MAP_RULES: readonly RewardRuleName[] = [BASELINE, "pow3r", "category-balanced", "gdpo"];

/** Cell after cell, the cleanest judge and the lightest weights first; all else as the settings say. */
export function* simulatedMap(settings: SimulatorSettings): Generator<MapCell, void, void> {
  for (const judgeNoise of mapJudgeNoises) {
    for (const flatWeight of mapFlatWeights) yield simulatedCell({ ...settings, judgeNoise, flatWeight });
  }
}

function simulatedCell(settings: SimulatorSettings): MapCell {
  const { rules } = compareRules(settings, MAP_RULES);
  const { flatWeight, judgeNoise, seeds, steps, goalStep } = settings;
  const arms = rules.map(({ arm, rule, finalScore, gain, stepsToBaseline, speedUp }) => {
    return { arm, rule, finalScore, gain, stepsToBaseline, speedUp };
  });
  return { flatWeight, judgeNoise, source: "simulator", seeds, samples: null, steps, goalStep, arms };
}
