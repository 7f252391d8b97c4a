/**
 * POW3R's alpha and its pressure on plain numbers, for criteria that all have verdicts: what reward/pow3r-alpha.ts and
 * reward/pow3r.ts give for the same group (numeric-alpha.test.ts holds them to it), without an object a criterion.
 */
import type { Pow3rConfig } from "../run/spec.ts";

export type AlphaBounds = Pick<Pow3rConfig, "lambda" | "alpha_min" | "alpha_max" | "beta_ema" | "epsilon">;

/** What stands fast through a run, [C] each in the rubric's order. */
export interface WeightedCategories {
  /** Human weights, all above 0. */
  readonly weights: Float64Array;
  /** 0 ... K - 1 */
  readonly categoryOf: Int32Array;
  readonly categories: number;
}

/** Moves alpha in place by the within-group variances, [C]. */
export function moveAlphas(
  alpha: Float64Array,
  variances: Float64Array,
  { weights, categoryOf, categories }: WeightedCategories,
  config: AlphaBounds,
): void {
  const { lambda, beta_ema, epsilon, alpha_min, alpha_max } = config;
  const clip = (value: number): number => Math.min(alpha_max, Math.max(alpha_min, value));
  const mass = new Float64Array(categories);
  const contrast = new Float64Array(categories);
  const varies = new Uint8Array(categories);
  for (let j = 0; j < alpha.length; j++) {
    const k = categoryOf[j] as number;
    const variance = variances[j] as number;
    mass[k] = (mass[k] as number) + (weights[j] as number);
    contrast[k] = (contrast[k] as number) + (weights[j] as number) * Math.sqrt(variance + epsilon);
    if (variance > 0) varies[k] = 1;
  }
  for (let j = 0; j < alpha.length; j++) {
    const k = categoryOf[j] as number;
    const mean = (contrast[k] as number) / (mass[k] as number);
    const ratio = varies[k] === 1 ? Math.sqrt((variances[j] as number) + epsilon) / mean : 1;
    const target = clip(1 - lambda + lambda * ratio);
    alpha[j] = clip((1 - beta_ema) * (alpha[j] as number) + beta_ema * target);
  }
}

/** Writes w_j a_j / (K W~_k) into `pressure`, [C]. */
export function writePressure(
  pressure: Float64Array,
  alpha: Float64Array,
  { weights, categoryOf, categories }: WeightedCategories,
): void {
  const mass = new Float64Array(categories);
  for (let j = 0; j < alpha.length; j++) {
    const k = categoryOf[j] as number;
    mass[k] = (mass[k] as number) + (weights[j] as number) * (alpha[j] as number);
  }
  for (let j = 0; j < alpha.length; j++) {
    const share = (weights[j] as number) * (alpha[j] as number);
    pressure[j] = share / (categories * (mass[categoryOf[j] as number] as number));
  }
}
