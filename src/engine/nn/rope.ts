/**
 * Rotary position embedding (RoPE, arXiv 2104.09864): the angle of each position and frequency, and how models stretch it to
 * longer texts: linear, llama3 (Llama 3.1) and yarn (arXiv 2309.00071). Formulas of transformers' modeling_rope_utils.py, in
 * float64; `frequencyFactors` is ggml's `rope_freqs.weight`. Knows nothing of graphs.
 */
import type { ModelConfig, RopeScaling } from "./model-config.ts";

/** What rotation needs of a model's config. */
export type RopeConfig = Pick<ModelConfig, "headDim" | "ropeTheta" | "ropeScaling" | "ropeFrequencyFactors">;

/** Radians a position of each pair of dimensions, [Dh / 2]. */
export function ropeFrequencies(config: RopeConfig): Float64Array {
  const { headDim, ropeTheta, ropeScaling, ropeFrequencyFactors } = config;
  const plain = Float64Array.from(
    { length: headDim / 2 },
    (_, i) => ropeTheta ** ((-2 * i) / headDim) / (ropeFrequencyFactors?.[i] ?? 1),
  );
  if (ropeScaling === undefined) return plain;
  if (ropeScaling.type === "linear") return plain.map((frequency) => frequency / ropeScaling.factor);
  if (ropeScaling.type === "llama3") return plain.map((frequency) => llama3(frequency, ropeScaling));
  const kept = yarnKept(config, ropeScaling);
  return plain.map((frequency, i) => {
    const share = kept(i);
    return (frequency / ropeScaling.factor) * (1 - share) + frequency * share;
  });
}

/** cos and sin of position * frequency, two tables [positions, Dh / 2]. */
export function ropeTables(config: RopeConfig, positions: number): { cos: Float64Array; sin: Float64Array } {
  const frequencies = ropeFrequencies(config);
  const scale = config.ropeScaling?.type === "yarn" ? config.ropeScaling.attentionFactor : 1;
  const half = frequencies.length;
  const cos = new Float64Array(positions * half);
  const sin = new Float64Array(positions * half);
  for (let p = 0; p < positions; p++) {
    for (const [i, frequency] of frequencies.entries()) {
      cos[p * half + i] = scale * Math.cos(p * frequency);
      sin[p * half + i] = scale * Math.sin(p * frequency);
    }
  }
  return { cos, sin };
}

/** Long waves are stretched by the factor, short ones kept, those between blended. */
function llama3(frequency: number, scaling: Extract<RopeScaling, { type: "llama3" }>): number {
  const { factor, lowFreqFactor, highFreqFactor, originalMaxPositions } = scaling;
  const waves = (originalMaxPositions * frequency) / (2 * Math.PI); // in the original context
  if (waves > highFreqFactor) return frequency;
  if (waves < lowFreqFactor) return frequency / factor;
  const smooth = (waves - lowFreqFactor) / (highFreqFactor - lowFreqFactor);
  return ((1 - smooth) * frequency) / factor + smooth * frequency;
}

/** Which share of frequency i is kept: 1 below the ramp, 0 above it. */
function yarnKept(
  { headDim, ropeTheta }: RopeConfig,
  scaling: Extract<RopeScaling, { type: "yarn" }>,
): (i: number) => number {
  const dimension = (rotations: number): number =>
    (headDim * Math.log(scaling.originalMaxPositions / (rotations * 2 * Math.PI))) /
    (2 * Math.log(ropeTheta));
  const [from, to] = [dimension(scaling.betaFast), dimension(scaling.betaSlow)];
  const low = Math.max(0, scaling.truncate ? Math.floor(from) : from);
  const high = Math.min(headDim - 1, scaling.truncate ? Math.ceil(to) : to);
  const width = high === low ? 0.001 : high - low; // transformers' guard against a division by zero
  return (i) => 1 - Math.min(1, Math.max(0, (i - low) / width));
}
