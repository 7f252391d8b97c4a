/**
 * How rows attend to each other, three ways: whole sequences (pre-training), a shared prompt with G completions
 * (the GRPO update) and the fused operator with a growing cache (rollouts). All causal, all grouped-query: the
 * H / Hkv query heads of one key/value head are folded into the rows of one product, so nothing is expanded.
 */
import type { Graph, Value } from "../graph/ir.ts";
import { groupQueryAttention } from "../graph/ops/attention.ts";
import { add, mul } from "../graph/ops/elementwise.ts";
import { gatherRows } from "../graph/ops/gather-rows.ts";
import { matMul } from "../graph/ops/linear.ts";
import { softmax } from "../graph/ops/nn.ts";
import { concat, reshape, slice, transpose } from "../graph/ops/shape.ts";
import type { Dim } from "../graph/ir.ts";
import type { Attend } from "./decoder.ts";
import type { ModelConfig } from "./model-config.ts";

/** Added to a score that must not count; finite, so that no NaN can come of it. */
export const MASKED = -1e9;

/** Causal mask [repeats * T, T], the T query rows repeated for each query head of a key/value head. */
export function causalMask(repeats: number, length: number): Float32Array {
  const mask = new Float32Array(repeats * length * length);
  for (let row = 0; row < repeats * length; row++) {
    for (let key = (row % length) + 1; key < length; key++) mask[row * length + key] = MASKED;
  }
  return mask;
}

/** q rows [n*T, H*Dh], scaled by 1/sqrt(Dh) -> [n, Hkv, rep*T, Dh]. */
function foldQueries(q: Value, n: number, T: number, config: ModelConfig): Value {
  const { heads: H, kvHeads: Hkv, headDim: Dh } = config;
  const split = reshape(mul(q, 1 / Math.sqrt(Dh)), [n, T, Hkv, H / Hkv, Dh]);
  return reshape(transpose(split, [0, 2, 3, 1, 4]), [n, Hkv, (H / Hkv) * T, Dh]);
}

/** [n, Hkv, rep*T, Dh] -> rows [n*T, H*Dh]. */
function unfoldQueries(x: Value, n: number, T: number, config: ModelConfig): Value {
  const { heads: H, kvHeads: Hkv, headDim: Dh } = config;
  const split = transpose(reshape(x, [n, Hkv, H / Hkv, T, Dh]), [0, 3, 1, 2, 4]);
  return reshape(split, [n * T, H * Dh]);
}

/** k rows [n*T, Hkv*Dh] -> [n, Hkv, Dh, T]. */
function foldKeys(k: Value, n: number, T: number, { kvHeads: Hkv, headDim: Dh }: ModelConfig): Value {
  return transpose(reshape(k, [n, T, Hkv, Dh]), [0, 2, 3, 1]);
}

/** v rows [n*T, Hkv*Dh] -> [n, Hkv, T, Dh]. */
function foldValues(v: Value, n: number, T: number, { kvHeads: Hkv, headDim: Dh }: ModelConfig): Value {
  return transpose(reshape(v, [n, T, Hkv, Dh]), [0, 2, 1, 3]);
}

/** n sequences of T rows each, right-padded: rows are [n*T]. A real row never sees the padding behind it. */
export function sequenceAttention(graph: Graph, config: ModelConfig, n: number, T: number): Attend {
  const rep = config.heads / config.kvHeads;
  const mask = graph.constant("float32", [1, 1, rep * T, T], causalMask(rep, T));
  return (q, k, v) => {
    const scores = add(matMul(foldQueries(q, n, T, config), foldKeys(k, n, T, config)), mask);
    const mixed = matMul(softmax(scores), foldValues(v, n, T, config)); // [n, Hkv, rep*T, Dh]
    return unfoldQueries(mixed, n, T, config); // [n*T, H*Dh]
  };
}

/** The sizes of one shared-prefix update. */
export interface SharedPrefixShape {
  /** Prompts P, each with G completions. */
  readonly prompts: number;
  readonly group: number;
  /** Slots a prompt, Tp >= the longest prompt. */
  readonly promptSlots: number;
  /** Slots a completion, S > the longest completion's rows, so that row 0 of prompt 0 has a spare last slot. */
  readonly completionSlots: number;
  /** Packed completion rows Nc: real ones first, then at least one row of padding. */
  readonly completionRows: number;
}

/** Index inputs of one update; every one is an int32 or float32 graph input. */
export interface SharedPrefixInputs {
  /** [P*G*S]: the packed row in each completion slot; padding slots name a padding row, so that no gradient enters. */
  readonly slotRows: Value;
  /** [Nc]: the slot of each packed row; padding rows name the spare slot P0 G0 S-1. */
  readonly rowSlots: Value;
  /** [P, 1, 1, Tp]: 0 on real prompt tokens, MASKED behind them. */
  readonly promptMask: Value;
}

/**
 * Rows are [completion rows Nc | prompt slots P*Tp]. Prompt rows attend within their prompt; completion rows attend
 * to their prompt's keys, computed once for the group, and to their own earlier rows. The gradient of the prompt's
 * keys and values sums over the group because G is folded into the rows of one product. Linears see packed
 * completion rows, no padding to the longest; only attention works in slots.
 */
export function sharedPrefixAttention(
  graph: Graph,
  config: ModelConfig,
  shape: SharedPrefixShape,
  inputs: SharedPrefixInputs,
): Attend {
  const { prompts: P, group: G, promptSlots: Tp, completionSlots: S, completionRows: Nc } = shape;
  const { heads: H, kvHeads: Hkv, headDim: Dh } = config;
  const rep = H / Hkv;
  const promptCausal = graph.constant("float32", [1, 1, rep * Tp, Tp], causalMask(rep, Tp));
  const ownCausal = graph.constant("float32", [1, 1, 1, rep * S, S], causalMask(rep, S));
  const prompt = (x: Value): Value => slice(x, 0, Nc, Nc + P * Tp);
  const slots = (x: Value): Value => gatherRows(slice(x, 0, 0, Nc), inputs.slotRows, inputs.rowSlots); // [P*G*S, .]

  return (q, k, v) => {
    const promptKeys = foldKeys(prompt(k), P, Tp, config); // [P, Hkv, Dh, Tp]
    const promptValues = foldValues(prompt(v), P, Tp, config); // [P, Hkv, Tp, Dh]
    const promptScores = add(matMul(foldQueries(prompt(q), P, Tp, config), promptKeys), promptCausal);
    const promptOut = unfoldQueries(matMul(softmax(promptScores), promptValues), P, Tp, config); // [P*Tp, H*Dh]

    const split = reshape(mul(slots(q), 1 / Math.sqrt(Dh)), [P, G, S, Hkv, rep, Dh]);
    const query = transpose(split, [0, 3, 1, 4, 2, 5]); // [P, Hkv, G, rep, S, Dh]
    const ownKeys = transpose(reshape(slots(k), [P, G, S, Hkv, Dh]), [0, 3, 1, 4, 2]); // [P, Hkv, G, Dh, S]
    const ownValues = transpose(reshape(slots(v), [P, G, S, Hkv, Dh]), [0, 3, 1, 2, 4]); // [P, Hkv, G, S, Dh]
    const toPrompt = matMul(reshape(query, [P, Hkv, G * rep * S, Dh]), promptKeys); // [P, Hkv, G*rep*S, Tp]
    const toOwn = matMul(reshape(query, [P, Hkv, G, rep * S, Dh]), ownKeys); // [P, Hkv, G, rep*S, S]
    const scores = concat(
      [reshape(add(toPrompt, inputs.promptMask), [P, Hkv, G, rep * S, Tp]), add(toOwn, ownCausal)],
      4,
    ); // [P, Hkv, G, rep*S, Tp+S]
    const weights = softmax(scores);
    const fromPrompt = matMul(reshape(slice(weights, 4, 0, Tp), [P, Hkv, G * rep * S, Tp]), promptValues); // [P, Hkv, G*rep*S, Dh]
    const fromOwn = matMul(slice(weights, 4, Tp, Tp + S), ownValues); // [P, Hkv, G, rep*S, Dh]
    const mixed = add(
      reshape(fromPrompt, [P, Hkv, G, rep, S, Dh]),
      reshape(fromOwn, [P, Hkv, G, rep, S, Dh]),
    );
    const slotOut = reshape(transpose(mixed, [0, 2, 4, 1, 3, 5]), [P * G * S, H * Dh]);
    return concat([gatherRows(slotOut, inputs.rowSlots, inputs.slotRows), promptOut], 0); // [N, H*Dh]
  };
}

/** Past keys and values of one layer: [B, Hkv, T, Dh] each. */
export interface LayerCache {
  readonly key: Value;
  readonly value: Value;
}

/**
 * The fused operator with a cache (com.microsoft GroupQueryAttention). `past` null = a prompt from its start.
 * Presents are collected in `presents`, by layer.
 */
export function cachedAttention(options: {
  readonly config: ModelConfig;
  /** B sequences of T new rows each; rows are [B*T]. */
  readonly batch: number;
  readonly length: Dim;
  readonly past: readonly LayerCache[] | null;
  /** int32 [B]: total length - 1 of each sequence, the new rows included. */
  readonly seqLensK: Value;
  /** int32 scalar: the longest total length. */
  readonly totalLength: Value;
  readonly presents: LayerCache[];
}): Attend {
  const { config, batch: B, length: T, past } = options;
  const { heads: H, kvHeads: Hkv, headDim: Dh } = config;
  return (q, k, v, layer) => {
    const cache = past?.[layer];
    const cacheLength = cache?.key.dims[2]; // a fixed one holds the new rows too
    const { output, presentKey, presentValue } = groupQueryAttention({
      query: reshape(q, [B, T, H * Dh]),
      key: reshape(k, [B, T, Hkv * Dh]),
      value: reshape(v, [B, T, Hkv * Dh]),
      ...(cache ? { pastKey: cache.key, pastValue: cache.value } : {}),
      seqLensK: options.seqLensK,
      totalSequenceLength: options.totalLength,
      heads: H,
      kvHeads: Hkv,
      ...(typeof cacheLength === "number" ? { presentLength: cacheLength } : {}),
    });
    options.presents[layer] = { key: presentKey, value: presentValue };
    return reshape(output, [typeof T === "number" ? B * T : T, H * Dh]);
  };
}
