/**
 * What one gradient pass takes, by the very graphs that compute it: rows kept between layers, a layer's intermediates, and
 * those of the head with the loss; and what AdamW takes after it. Knows the plans (model-policy) and how engines keep results.
 */
import type { GrpoConfig } from "../domain/grpo/config.ts";
import type { RunPlan, WeightStorage } from "../domain/run/memory-plan.ts";
import type { Graph } from "../engine/graph/ir.ts";
import { optimize } from "../engine/graph/passes.ts";
import { largestResultBytes, peakBufferBytes, peakBytes } from "../engine/graph/peak-memory.ts";
import { adamwGraph } from "../engine/nn/adamw.ts";
import type { SharedPrefixShape } from "../engine/nn/attention.ts";
import type { GrpoLossSettings } from "../engine/nn/grpo-loss.ts";
import { layerBackwardGraph, topGradientGraph } from "../engine/nn/layered-graphs.ts";
import { loraLayout } from "../engine/nn/lora.ts";
import type { ModelConfig } from "../engine/nn/model-config.ts";
import { grpoGraph, updateRows } from "../engine/nn/update-graphs.ts";
import { MOST_POSITIONS } from "./room.ts";
import { COARSE, FINE, packedShape } from "./model-policy/pack-update.ts";
import { choosePlan, type PlanName } from "./model-policy/plan-choice.ts";

export interface UpdateSize {
  readonly config: ModelConfig;
  readonly storage: WeightStorage;
  readonly engine: RunPlan["engine"];
  readonly grpo: GrpoConfig;
  readonly promptTokens: number;
  /** Completions of one pass. */
  readonly microBatch: number;
  /** Rows of one chunk of the embedding and the head; undefined: whole. */
  readonly chunkRows: number | undefined;
  /** As the policy's option of this name. */
  readonly plan?: PlanName | undefined;
}

export interface UpdateMemory {
  /** Rows [N, D] before each layer, kept for the backward; 0 where the whole update is one graph. */
  readonly rowBytes: number;
  /** A layer's backward with its forward again; the whole graph where it is one. */
  readonly layerBytes: number;
  /** The head and the loss; 0 where the whole update is one graph. */
  readonly topBytes: number;
  /** The gradient, which is among the results: of the whole adapter, or of a layer's share of it. */
  readonly gradientBytes: number;
  /** Clipping and AdamW, which come after the update: what they are fed, and their results. */
  readonly optimizerBytes: number;
  /** The largest result of any graph, which a GPU must be able to bind. */
  readonly largestBytes: number;
}

const BITS = { f32: null, q8: 8, q4: 4 } as const;

/** For completions that are all as long as they may be. */
export function updateMemory(size: UpdateSize): UpdateMemory {
  const { config, grpo, storage, engine, chunkRows } = size;
  const shape = passShape(size);
  const settings = lossSettings(grpo, shape);
  const key = JSON.stringify([storage, chunkRows, grpo.lora, shape, settings, planOf(size), engine]);
  return remembered(config, key, () => {
    const lora = loraLayout(config, grpo.lora);
    const model = {
      config,
      lora,
      maxPositions: Math.min(config.maxPositions, MOST_POSITIONS),
      temperature: grpo.temperature,
      blockBits: BITS[storage],
      tableChunkRows: chunkRows,
    };
    const peak = engine === "webgpu" ? peakBufferBytes : peakBytes;
    const adapter = 4 * lora.size;
    const adamw = optimized(adamwGraph(lora.size, ADAMW));
    const optimizerBytes = 4 * adapter + peak(adamw);
    if (planOf(size) === "whole") {
      const whole = optimized(grpoGraph(model, shape, settings));
      return {
        ...{ rowBytes: 0, layerBytes: peak(whole), topBytes: 0, optimizerBytes },
        gradientBytes: adapter,
        largestBytes: largestResultBytes(whole),
      };
    }
    const layer = optimized(layerBackwardGraph(model, shape));
    const top = optimized(topGradientGraph(model, shape, settings));
    return {
      rowBytes: 4 * (config.layers + 1) * updateRows(shape) * config.hiddenSize,
      ...{ layerBytes: peak(layer), topBytes: peak(top), optimizerBytes },
      gradientBytes: adapter / config.layers,
      largestBytes: Math.max(largestResultBytes(layer), largestResultBytes(top)),
    };
  });
}

const planOf = ({ config, plan }: UpdateSize): PlanName => plan ?? choosePlan(config);

/** None of them changes a size. */
const ADAMW = { beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 };

/** All prompts where a pass holds them, else a part of one group (update.ts). */
function passShape({ grpo, promptTokens, microBatch, engine }: UpdateSize): SharedPrefixShape {
  const { num_generations: G, prompts_per_step: P, max_completion_length: tokens } = grpo;
  const whole = microBatch >= P * G;
  return packedShape(
    {
      prompts: whole ? P : 1,
      group: whole ? G : Math.min(G, microBatch),
      promptTokens,
      completionTokens: tokens,
    },
    engine === "kernels" ? FINE : COARSE,
  );
}

function lossSettings(grpo: GrpoConfig, { prompts, group }: SharedPrefixShape): GrpoLossSettings {
  return {
    epsilonLow: grpo.epsilon,
    epsilonHigh: grpo.epsilon_high ?? grpo.epsilon,
    delta: grpo.delta,
    beta: grpo.beta,
    biasCorrection: grpo.use_bias_correction_kl,
    sequences: grpo.importance_sampling_level === "sequence" ? prompts * group : null,
  };
}

function optimized(graph: Graph): Graph {
  optimize(graph);
  return graph;
}

/** Of each model that is looked at: a plan asks for the same pass under many settings. */
const known = new WeakMap<ModelConfig, Map<string, UpdateMemory>>();

function remembered(config: ModelConfig, key: string, make: () => UpdateMemory): UpdateMemory {
  const own = known.get(config) ?? new Map<string, UpdateMemory>();
  known.set(config, own);
  const found = own.get(key) ?? make();
  own.set(key, found);
  return found;
}
