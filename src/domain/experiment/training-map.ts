/** The map by real training: a cell's summary over seeds in the form that the simulator fills too. */
import type { Experiment } from "./experiment-schema.ts";
import { cellsOf, type ExperimentCell } from "./experiment-file.ts";
import type { MapArm, MapCell, MapEstimate } from "./map-data.ts";
import type { ArmSummary, Estimate, Summary } from "./summary.ts";

/** True for an experiment whose cells lie apart on both of the map's axes. */
export function isMap(experiment: Experiment): boolean {
  const places = cellsOf(experiment).map(({ judgeNoise, flatWeight }) =>
    judgeNoise === undefined || flatWeight === undefined ? null : `${judgeNoise} x ${flatWeight}`,
  );
  return places.length > 1 && !places.includes(null) && new Set(places).size === places.length;
}

/** null where the cell is not on the map, or its baseline has no score. An arm without one is left out. */
export function trainingCell(cell: ExperimentCell, summary: Summary): MapCell | null {
  const { judgeNoise, flatWeight, evaluationSamples } = cell;
  const steps = summary.steps.at(-1);
  const arms = cell.arms.flatMap(({ id, rule }) => {
    const own = summary.arms.find(({ arm }) => arm === id);
    const mapArm = own === undefined ? null : mapArmOf(own, rule);
    return mapArm === null ? [] : [mapArm];
  });
  if (judgeNoise === undefined || flatWeight === undefined || steps === undefined || steps === 0) return null;
  if (!arms.some(({ arm }) => arm === summary.baseline)) return null;
  return {
    flatWeight,
    judgeNoise,
    source: "training",
    seeds: summary.seeds.length,
    samples: evaluationSamples,
    steps,
    goalStep: steps,
    arms,
  };
}

function mapArmOf(arm: ArmSummary, rule: MapArm["rule"]): MapArm | null {
  const finalScore = mapEstimate(arm.curve.at(-1)?.score);
  const gain = mapEstimate(arm.gain.score);
  if (finalScore === null || gain === null) return null;
  const stepsToBaseline = arm.stepsToGoal.seeds === 0 ? null : arm.stepsToGoal;
  return { arm: arm.arm, rule, finalScore, gain, stepsToBaseline, speedUp: arm.speedUp };
}

function mapEstimate(estimate: Estimate | undefined): MapEstimate | null {
  if (estimate === undefined || estimate.mean === null) return null;
  const { mean, halfWidth } = estimate;
  if (halfWidth === null) return { mean, low: null, high: null };
  return { mean, low: mean - halfWidth, high: mean + halfWidth };
}
