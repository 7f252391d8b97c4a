/**
 * Numbers over seeds: quantiles, mean with its interval, and the median step of a goal that some seeds never reach.
 * Infinity stands for "never"; quantiles pass it on.
 */
import { createRng } from "../../base/rng.ts";
import type { MapEstimate, StepsToBaseline } from "./map-data.ts";

/** The q-th quantile (0 to 1) with linear interpolation between neighbours; NaN without values. */
export function quantileOf(values: readonly number[], q: number): number {
  return sortedQuantile(
    [...values].sort((a, b) => a - b),
    q,
  );
}

function sortedQuantile(sorted: ArrayLike<number>, q: number): number {
  const at = q * (sorted.length - 1);
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  const above = sorted[Math.ceil(at)] ?? Number.NaN;
  // infinities: their difference would be no number
  return below === above ? below : below + (at - Math.floor(at)) * (above - below);
}

/** Two-sided 95 % points of Student's t for 1, 2, ... degrees of freedom; the normal's beyond. */
const STUDENT_T = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/** Mean with its 95 % t-interval; at least one value. */
export function meanInterval(values: readonly number[]): MapEstimate {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  if (n < 2) return { mean, low: null, high: null };
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  const halfWidth = (STUDENT_T[n - 2] ?? 1.96) * Math.sqrt(variance / n);
  return { mean, low: mean - halfWidth, high: mean + halfWidth };
}

const RESAMPLES = 1000;

/**
 * Median step over seeds with the 95 % percentile bootstrap of that median (1,000 resamples of whole seeds).
 *
 * @param steps first step at which each seed reached the goal; Infinity: never
 */
export function medianSteps(steps: readonly number[]): StepsToBaseline {
  const rng = createRng(1, "bootstrap", steps.length);
  const medians = Float64Array.from({ length: RESAMPLES }, () =>
    quantileOf(
      steps.map(() => steps[rng.below(steps.length)] ?? Number.NaN),
      0.5,
    ),
  ).sort();
  return {
    median: finiteOrNull(quantileOf(steps, 0.5)),
    low: finiteOrNull(sortedQuantile(medians, 0.025)),
    high: finiteOrNull(sortedQuantile(medians, 0.975)),
    reached: steps.filter((step) => Number.isFinite(step)).length,
    seeds: steps.length,
  };
}

function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
