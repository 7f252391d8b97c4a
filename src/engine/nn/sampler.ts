/**
 * Sampling inside the graph, by the inverse of the cumulative distribution in two levels: block sums of a [R, C]
 * reshape of the vocabulary, then one block. One uniform per row comes from the seeded generator, so runs repeat.
 * Exact: agrees with a float64 inverse CDF. Temperature, then top-k, then top-p, as transformers orders its warpers.
 * Log-probabilities are the untruncated ones: what TRL's transformers path trains with, where the old ones come from a
 * forward pass of the model (its vLLM path takes truncated ones from the sampler, for its correction ratio only).
 */
import type { Value } from "../graph/ir.ts";
import { add, exp, log, maximum, minimum, mul, sub } from "../graph/ops/elementwise.ts";
import { gather, gatherElements } from "../graph/ops/gather.ts";
import { cast, greater, greaterOrEqual, lessOrEqual, where } from "../graph/ops/logic.ts";
import { cumSum, reduceMax, reduceSum } from "../graph/ops/reduce.ts";
import { argMaxLast, topK } from "../graph/ops/search.ts";
import { reshape, slice } from "../graph/ops/shape.ts";

/** Top-p looks for its threshold in log-weights from -TOP_P_RANGE to 0: what lies below weighs under 2e-14 of the largest. */
const TOP_P_RANGE = 32;
/** Halvings of that range, to steps of 2e-6: about float32's own steps. */
const TOP_P_HALVINGS = 24;

/** The largest uniform a row may get: 1 - 2^-22; above it float32 sums could run over the end. */
export const LARGEST_UNIFORM = 1 - 2 ** -22;

export interface SamplerOptions {
  readonly batch: number;
  readonly vocabSize: number;
  /** 0 = off; more than there are tokens is all of them, as in transformers. */
  readonly topK: number;
  /** 1 = off. */
  readonly topP: number;
  readonly greedy: boolean;
}

export interface Sampled {
  /** int32 [B]. */
  readonly tokens: Value;
  /** float32 [B]: x/T - logsumexp(x/T) of the chosen token. */
  readonly logProbs: Value;
}

/** Draws one token a row: logits [B, V], uniform [B] in [0, 1 - 2^-22], inverseTemperature [1]. */
export function sampleTokens(
  logits: Value,
  uniform: Value,
  inverseTemperature: Value,
  options: SamplerOptions,
): Sampled {
  const { batch: B, vocabSize: V } = options;
  const x = mul(logits, inverseTemperature); // [B, V]
  const max = reduceMax(x, [1], true); // [B, 1]
  const logWeights = sub(x, max); // [B, V]
  const e = exp(logWeights); // [B, V]
  const logTotal = log(reduceSum(e, [1], true)); // [B, 1]
  const kept = keepTopP(logWeights, keepTopK(x, e, options.topK < V ? options.topK : 0), options.topP); // [B, V]
  const tokens = options.greedy ? argMaxLast(x) : drawIndex(kept, uniform, B, V);
  const chosen = gatherElements(x, reshape(tokens, [B, 1]), 1); // [B, 1]
  return { tokens, logProbs: reshape(sub(sub(chosen, max), logTotal), [B]) };
}

/** Weights outside the k largest become 0. */
function keepTopK(x: Value, e: Value, k: number): Value {
  if (k === 0) return e;
  const smallest = slice(topK(x, k).values, 1, k - 1, k); // [B, 1]
  return mul(e, cast(greaterOrEqual(x, smallest), "float32"));
}

/**
 * Weights outside the smallest set that holds a share p of their sum become 0: those that have a share of at least p
 * above them. Equal weights stand or fall together, and so do log-weights less than 2e-6 apart. The threshold is
 * found by halving its range, since a sort has no WebGPU kernel.
 */
function keepTopP(logWeights: Value, weights: Value, p: number): Value {
  if (p === 1) return weights;
  const graph = weights.graph;
  const enough = mul(reduceSum(weights, [1], true), p); // [B, 1]
  let threshold = graph.constant("float32", [1, 1], Float32Array.of(-TOP_P_RANGE)); // the share above it is enough
  for (let i = 1; i <= TOP_P_HALVINGS; i++) {
    const step = TOP_P_RANGE / 2 ** i;
    const above = where(greater(logWeights, add(threshold, step)), weights, 0); // [B, V]
    const isEnough = cast(greaterOrEqual(reduceSum(above, [1], true), enough), "float32"); // [B, 1]
    threshold = add(threshold, mul(isEnough, step)); // [B, 1]
  }
  return where(greater(logWeights, threshold), weights, 0);
}

/** The index i with cum_{i-1} <= u * total < cum_i, for weights [B, V] and u [B]: int32 [B]. */
function drawIndex(weights: Value, uniform: Value, B: number, V: number): Value {
  const C = blockSize(V);
  const R = V / C;
  const blocks = reshape(weights, [B, R, C]);
  const cumulative = cumSum(reduceSum(blocks, [2]), 1); // [B, R]
  const total = slice(cumulative, 1, R - 1, R); // [B, 1]
  const target = mul(reshape(uniform, [B, 1]), total); // [B, 1]
  const before = cast(lessOrEqual(cumulative, target), "float32"); // [B, R], 1 on blocks wholly before the target
  const block = minimum(reduceSum(before, [1]), R - 1); // [B]
  const rowOffset = weights.graph.constant(
    "float32",
    [B],
    Float32Array.from({ length: B }, (_, b) => b * R),
  );
  const rows = gather(reshape(blocks, [B * R, C]), cast(add(block, rowOffset), "int32"), 0); // [B, C]
  const blockEnds = cumSum(rows, 1); // [B, C]
  const last = slice(blockEnds, 1, C - 1, C); // [B, 1]
  const blockStart = sub(gatherElements(cumulative, cast(reshape(block, [B, 1]), "int32"), 1), last); // [B, 1]
  const within = maximum(minimum(sub(target, blockStart), mul(last, 1 - 2 ** -22)), 0);
  const inside = reduceSum(cast(lessOrEqual(blockEnds, within), "float32"), [1]); // [B]
  return cast(add(mul(block, C), minimum(inside, C - 1)), "int32"); // [B]
}

/** The divisor of V nearest its square root. */
function blockSize(V: number): number {
  let best = 1;
  for (let c = 1; c * c <= V; c++) if (V % c === 0) best = c;
  return V / best;
}

/** u clamped to what the sampler takes. */
export function clampUniform(u: number): number {
  return Math.min(u, LARGEST_UNIFORM);
}
