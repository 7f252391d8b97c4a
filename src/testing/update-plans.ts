/** One update of a tiny model by each plan, with the head in one piece and in chunks, for tests of any engine. */
import { createRng } from "../base/rng.ts";
import { grpoConfigSchema } from "../domain/grpo/config.ts";
import { blockBitsOf } from "../engine/nn/base-matrix.ts";
import { loraLayout } from "../engine/nn/lora.ts";
import { adaptedWeights, MERGED, mergeGraph } from "../engine/nn/merged-weights.ts";
import type { Architecture, ModelConfig } from "../engine/nn/model-config.ts";
import { grpoGraph, scoreGraph, type UpdateModel } from "../engine/nn/update-graphs.ts";
import {
  embedGraph,
  layerBackwardGraph,
  layerForwardGraph,
  topGradientGraph,
  topScoreGraph,
} from "../engine/nn/layered-graphs.ts";
import { decodeStepGraph, prefillGraph, spreadGraph } from "../engine/nn/rollout-graphs.ts";
import type { Graph } from "../engine/graph/ir.ts";
import type { Engine } from "../engine/runtime/engine.ts";
import type { WeightTensor } from "../engine/graph/block-tensor.ts";
import type { CompiledGraphs } from "../training/model-policy/compiled-graphs.ts";
import { layeredPlan } from "../training/model-policy/layered-plan.ts";
import { lossInputs } from "../training/model-policy/loss-inputs.ts";
import { packUpdate } from "../training/model-policy/pack-update.ts";
import type { PlanName } from "../training/model-policy/plan-choice.ts";
import type { PlanGradient, PlanScores, UpdatePlan } from "../training/model-policy/update-plan.ts";
import { wholePlan } from "../training/model-policy/whole-plan.ts";
import type { TrainingGroup } from "../training/policy.ts";
import { randomAdapter, randomWeights, TINY_END, TINY_LORA, tinyConfig } from "./tiny-model.ts";

const VOCAB = 11;
/** Chunks of 4, 4 and 3 rows. */
const CHUNK_ROWS = 4;
const LOSS = grpoConfigSchema.parse({ loss_type: "grpo", beta: 0.05, epsilon_high: 0.3, temperature: 0.9 });

export interface UpdateCase {
  readonly config: ModelConfig;
  readonly weights: ReadonlyMap<string, WeightTensor>;
  readonly adapter: Float32Array;
  readonly groups: readonly TrainingGroup[];
}

/** Two prompts of different lengths with three completions each, one of a single token. */
export function updateCase(architecture: Architecture): UpdateCase {
  const config = tinyConfig(architecture, VOCAB);
  const rng = createRng(6, "update plans");
  const tokens = (n: number): Int32Array => Int32Array.from({ length: n }, () => rng.below(VOCAB));
  const logProbs = (n: number): Float32Array =>
    Float32Array.from({ length: n }, () => -2.4 + rng.normal() / 4);
  const groups = [
    { promptLength: 4, lengths: [1, 5, 3] },
    { promptLength: 2, lengths: [4, 2, 3] },
  ].map(({ promptLength, lengths }) => ({
    prompt: tokens(promptLength),
    completions: lengths.map((n) => ({
      tokens: tokens(n),
      advantage: rng.normal(),
      oldLogProbs: logProbs(n),
      refLogProbs: logProbs(n),
    })),
  }));
  const { size } = loraLayout(config, TINY_LORA);
  return { config, weights: randomWeights(config), adapter: randomAdapter(size), groups };
}

/** The case with an adapter that does not round the gradient that is put into an array like it. */
export function inFloat64(given: UpdateCase): UpdateCase {
  return { ...given, adapter: Float64Array.from(given.adapter) as unknown as Float32Array };
}

export interface PlanRun {
  readonly scores: PlanScores;
  readonly gradient: PlanGradient;
}

/** The case through a plan: once scored, once differentiated. */
export async function runPlan(
  { config, weights, adapter, groups }: UpdateCase,
  on: { readonly engine: Pick<Engine, "upload" | "release">; readonly graphs: CompiledGraphs },
  how: { readonly plan: PlanName; readonly chunked: boolean },
): Promise<PlanRun> {
  const lora = loraLayout(config, TINY_LORA);
  const model: Omit<UpdateModel, "temperature"> = {
    config,
    lora,
    maxPositions: 16,
    tableChunkRows: how.chunked ? CHUNK_ROWS : undefined,
    blockBits: blockBitsOf(weights),
  };
  const plan: UpdatePlan = how.plan === "whole" ? wholePlan(on.graphs, model) : layeredPlan({ ...on, model });
  const packed = packUpdate(
    groups.map(({ prompt, completions }) => ({ prompt, completions: completions.map((row) => row.tokens) })),
    { promptSlots: 4, completionSlots: 1, completionRows: 4 },
  );
  const rows = groups.flatMap((group) => group.completions);
  const tokenWeights = new Map(rows.map((row) => [row, 1 / (rows.length * row.tokens.length)]));
  const batch = { packed, adapter, temperature: LOSS.temperature };
  return {
    scores: await plan.score(batch),
    gradient: await plan.gradient(batch, lossInputs(packed, groups, LOSS, tokenWeights)),
  };
}

/**
 * Every graph that a policy of the case would run on WebGPU but for the optimizer's, with its device outputs' names. The
 * loss is plain where tables are in one piece, and has all its options where they are in chunks.
 */
export function webgpuGraphs(
  { config, weights }: UpdateCase,
  chunked: boolean,
): { readonly graph: Graph; readonly deviceOutputs: readonly string[] }[] {
  const lora = loraLayout(config, TINY_LORA);
  const tableChunkRows = chunked ? CHUNK_ROWS : undefined;
  const blockBits = blockBitsOf(weights);
  const model = { config, lora, maxPositions: 16, tableChunkRows, blockBits, temperature: 0.9 };
  const shape = { prompts: 2, group: 2, promptSlots: 4, completionSlots: 3, completionRows: 8 };
  const kl = { beta: 0.05, biasCorrection: true };
  const options = chunked ? { delta: 4, sequences: 4 } : { delta: null, sequences: null };
  const settings = { epsilonLow: 0.2, epsilonHigh: 0.3, ...options, ...kl };
  const sampler = { batch: 2, vocabSize: VOCAB, topK: 0, topP: 1, greedy: false, endTokenIds: TINY_END };
  const caches = Array.from({ length: config.layers }, (_, l) => [`nextKey.${l}`, `nextValue.${l}`]).flat();
  const stays = (graph: Graph, ...deviceOutputs: string[]) => ({ graph, deviceOutputs });
  return [
    stays(scoreGraph(model, shape)),
    stays(grpoGraph(model, shape, settings)),
    stays(embedGraph(model, shape), "next"),
    stays(layerForwardGraph(model, shape), "next"),
    stays(layerBackwardGraph(model, shape), "previous"),
    stays(topScoreGraph(model, shape)),
    stays(topGradientGraph(model, shape, settings), "cotangent"),
    stays(prefillGraph(model, 16), "nextLogits", ...caches),
    ...(blockBits === null
      ? [stays(mergeGraph(lora), ...adaptedWeights(lora).map((name) => MERGED + name))]
      : []),
    stays(prefillGraph({ ...model, lora: null }, 16), "nextLogits", ...caches),
    stays(
      decodeStepGraph({ ...model, lora: null }, sampler, 16),
      "tokens",
      "logProbs",
      "nextLogits",
      ...caches,
    ),
    stays(spreadGraph(model, 2, 16), "nextLogits", ...caches),
    stays(decodeStepGraph(model, sampler, 16), "tokens", "logProbs", "nextLogits", ...caches),
  ];
}

/** The largest distance of each result, relative to the largest expected number of its kind. */
export function planDistance(actual: PlanRun, expected: PlanRun): number {
  const pairs: (readonly [ArrayLike<number>, ArrayLike<number>])[] = [
    [actual.scores.logProbs, expected.scores.logProbs],
    [actual.scores.entropy, expected.scores.entropy],
    [actual.gradient.logProbs, expected.gradient.logProbs],
    [actual.gradient.entropy, expected.gradient.entropy],
    [[actual.gradient.loss], [expected.gradient.loss]],
    [actual.gradient.gradient, expected.gradient.gradient],
  ];
  return pairs.reduce((worst, [a, b]) => Math.max(worst, distance(a, b)), 0);
}

function distance(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (actual.length !== expected.length) return Infinity;
  const largest = Array.from(expected).reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const worst = Array.from(expected).reduce(
    (most, value, i) => Math.max(most, Math.abs((actual[i] ?? NaN) - value)),
    0,
  );
  return Number.isNaN(worst) ? Infinity : worst / largest;
}
