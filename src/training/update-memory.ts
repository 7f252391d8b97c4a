/**
 * What one gradient pass takes, by the very graphs that compute it: rows kept between layers, a layer's intermediates, and
 * those of the head with the loss. Knows the plans (model-policy), not engines.
 */
import type { GrpoConfig } from "../domain/grpo/config.ts";
import type { RunPlan, WeightStorage } from "../domain/run/memory-plan.ts";
import type { Graph } from "../engine/graph/ir.ts";
import { optimize } from "../engine/graph/passes.ts";
import { peakBytes } from "../engine/graph/peak-memory.ts";
import type { SharedPrefixShape } from "../engine/nn/attention.ts";
import type { GrpoLossSettings } from "../engine/nn/grpo-loss.ts";
import { layerBackwardGraph, topGradientGraph } from "../engine/nn/layered-graphs.ts";
import { loraLayout } from "../engine/nn/lora.ts";
import type { ModelConfig } from "../engine/nn/model-config.ts";
import { grpoGraph, updateRows } from "../engine/nn/update-graphs.ts";
import { COARSE, FINE, packedShape } from "./model-policy/pack-update.ts";
import { choosePlan } from "./model-policy/plan-choice.ts";

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
}

export interface UpdateMemory {
  /** Rows [N, D] before each layer, kept for the backward; 0 where the whole update is one graph. */
  readonly rowBytes: number;
  /** A layer's backward with its forward again; the whole graph where it is one. */
  readonly layerBytes: number;
  /** The head and the loss; 0 where the whole update is one graph. */
  readonly topBytes: number;
}

const BITS = { f32: null, q8: 8, q4: 4 } as const;

/** For completions that are all as long as they may be. */
export function updateMemory(size: UpdateSize): UpdateMemory {
  const { config, grpo, storage, engine, chunkRows } = size;
  const shape = passShape(size);
  const settings = lossSettings(grpo, shape);
  const key = JSON.stringify([storage, chunkRows, grpo.lora, shape, settings, choosePlan(config), engine]);
  return remembered(config, key, () => {
    const model = {
      config,
      lora: loraLayout(config, grpo.lora),
      maxPositions: size.promptTokens + grpo.max_completion_length,
      temperature: grpo.temperature,
      blockBits: BITS[storage],
      tableChunkRows: chunkRows,
    };
    if (choosePlan(config) === "whole") {
      return { rowBytes: 0, layerBytes: peak(grpoGraph(model, shape, settings)), topBytes: 0 };
    }
    return {
      rowBytes: 4 * (config.layers + 1) * updateRows(shape) * config.hiddenSize,
      layerBytes: peak(layerBackwardGraph(model, shape)),
      topBytes: peak(topGradientGraph(model, shape, settings)),
    };
  });
}

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

function peak(graph: Graph): number {
  optimize(graph);
  return peakBytes(graph);
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
