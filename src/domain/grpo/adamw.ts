/**
 * AdamW and the global-norm clip in plain numbers, as torch.optim.AdamW and torch.nn.utils.clip_grad_norm_ compute
 * them: the oracle of the graph's optimizer. Loshchilov & Hutter, "Decoupled Weight Decay Regularization", alg. 2.
 */
import type { GrpoConfig } from "./config.ts";

export type AdamwConfig = Pick<GrpoConfig, "adam_beta1" | "adam_beta2" | "adam_epsilon" | "weight_decay"> & {
  readonly learningRate: number;
};

/** Parameters with their moments after `step` updates; the three lists are of one length. */
export interface AdamwState {
  readonly parameters: readonly number[];
  readonly m: readonly number[];
  readonly v: readonly number[];
  readonly step: number;
}

/** The state after one update. */
export function adamwStep(state: AdamwState, gradient: readonly number[], config: AdamwConfig): AdamwState {
  const step = state.step + 1;
  const { adam_beta1: beta1, adam_beta2: beta2, learningRate } = config;
  const m = state.m.map((value, i) => beta1 * value + (1 - beta1) * (gradient[i] ?? NaN));
  const v = state.v.map((value, i) => beta2 * value + (1 - beta2) * (gradient[i] ?? NaN) ** 2);
  const rate = learningRate / (1 - beta1 ** step);
  const scale = Math.sqrt(1 - beta2 ** step);
  const parameters = state.parameters.map((value, i) => {
    const decayed = value * (1 - learningRate * config.weight_decay);
    return decayed - (rate * (m[i] ?? NaN)) / (Math.sqrt(v[i] ?? NaN) / scale + config.adam_epsilon);
  });
  return { parameters, m, v, step };
}

/** The gradient scaled down to the largest global norm, and the norm before. */
export function clipByGlobalNorm(
  gradient: readonly number[],
  maxNorm: number,
): { gradient: number[]; norm: number } {
  const norm = Math.sqrt(gradient.reduce((sum, value) => sum + value * value, 0));
  const scale = Math.min(1, maxNorm / (norm + 1e-6));
  return { gradient: gradient.map((value) => value * scale), norm };
}
