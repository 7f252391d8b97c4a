/** The Policy of a loaded model on one engine: base weights shared by all adapters, one set of sessions. */
import { float32, type HostTensor } from "../../engine/graph/tensor.ts";
import { adamwGraph } from "../../engine/nn/adamw.ts";
import { adapterTensors, initialLora, loraLayout, type LoraSettings } from "../../engine/nn/lora.ts";
import type { ModelConfig } from "../../engine/nn/model-config.ts";
import { blockBitsOf } from "../../engine/nn/base-matrix.ts";
import {
  LARGEST_BLOCK_TABLE_BYTES,
  LARGEST_TABLE_BYTES,
  tableChunkRows,
} from "../../engine/nn/vocabulary-table.ts";
import { type Engine, keepsTensors } from "../../engine/runtime/engine.ts";
import type { WeightTensor } from "../../engine/graph/block-tensor.ts";
import type { OptimizerConfig, OptimizerResult, OptimizerState, Policy } from "../policy.ts";
import { compiledGraphs, type CompiledGraphs } from "./compiled-graphs.ts";
import { loopRollout } from "./loop-rollout.ts";
import { COARSE, FINE } from "./pack-update.ts";
import { stepRollout } from "./step-rollout.ts";
import { grpoGradient, scoreCompletions, scoreNextTokens } from "./update.ts";
import { layeredPlan } from "./layered-plan.ts";
import { choosePlan, type PlanName } from "./plan-choice.ts";
import { wholePlan } from "./whole-plan.ts";

/** What the policy needs of a loaded model. */
export interface PolicyModel {
  readonly config: ModelConfig;
  /** All plain, or every matrix in blocks of the same bits. */
  readonly weights: ReadonlyMap<string, WeightTensor>;
  readonly endTokenIds: readonly number[];
}

export interface ModelPolicyOptions {
  readonly engine: Engine;
  readonly model: PolicyModel;
  readonly lora: LoraSettings;
  /** Longest prompt plus completion that will be asked for. */
  readonly maxPositions: number;
  /** How updates are computed; by default as the model's size asks (plan-choice.ts). */
  readonly plan?: PlanName;
  /** Largest embedding or head, in float32, in one tensor; a larger one is cut. By default what every GPU can bind, or less. */
  readonly largestTableBytes?: number;
}

/** A policy whose graphs are compiled as they are first needed. The engine stays the caller's. */
export function createModelPolicy(options: ModelPolicyOptions): Policy {
  const { engine, model, maxPositions } = options;
  const { config } = model;
  const layout = loraLayout(config, options.lora);
  const graphs = compiledGraphs(engine, model.weights);
  const base = new Float32Array(layout.size); // B = 0: the adapter adds nothing
  const blockBits = blockBitsOf(model.weights);
  const largest = blockBits === null ? LARGEST_TABLE_BYTES : LARGEST_BLOCK_TABLE_BYTES;
  const chunkRows = tableChunkRows(config, options.largestTableBytes ?? largest);
  const shared = { config, lora: layout, maxPositions, tableChunkRows: chunkRows, blockBits };
  const plan =
    (options.plan ?? choosePlan(config)) === "whole"
      ? wholePlan(graphs, shared, engine.info.kind === "kernels" ? FINE : COARSE)
      : layeredPlan({ engine, graphs, model: shared });
  return {
    adapterSize: layout.size,
    adapterTensors: adapterTensors(layout),
    initialAdapter: (uniform) => initialLora(layout, uniform),
    rollout: (request) => {
      const merges = choosePlan(config) === "whole" && blockBits === null; // a copy of small weights is small
      const context = { engine, graphs, model: shared, endTokenIds: model.endTokenIds, merges };
      const rollout = keepsTensors(engine) ? stepRollout : loopRollout;
      return rollout(context, request, request.adapter ?? base);
    },
    gradient: (groups, adapter, loss) => grpoGradient(plan, groups, adapter, loss),
    logProbs: (groups, adapter, temperature) => scoreCompletions(plan, groups, adapter ?? base, temperature),
    nextTokens: (groups, words) => scoreNextTokens(plan, groups, base, words),
    optimize: (adapter, gradient, state, settings) =>
      adamw(graphs, { adapter, gradient, state, config: settings }),
    dispose: () => graphs.dispose(),
  };
}

async function adamw(
  graphs: CompiledGraphs,
  update: {
    readonly adapter: Float32Array;
    readonly gradient: Float32Array;
    readonly state: OptimizerState;
    readonly config: OptimizerConfig;
  },
): Promise<OptimizerResult> {
  const { adapter, gradient, state, config } = update;
  const n = adapter.length;
  const { beta1, beta2, epsilon, weightDecay, maxGradNorm } = config;
  const settings = { beta1, beta2, epsilon, weightDecay, maxGradNorm };
  const graph = await graphs.get(`adamw ${n} ${Object.values(settings).join(" ")}`, () =>
    adamwGraph(n, settings),
  );
  const step = state.step + 1;
  const out = await graph.run({
    p: float32([n], adapter),
    g: float32([n], gradient),
    m: float32([n], state.m),
    v: float32([n], state.v),
    step: float32([3], Float32Array.of(config.learningRate, 1 - beta1 ** step, 1 - beta2 ** step)),
  });
  const data = (name: string): Float32Array => (out[name] as HostTensor).data as Float32Array;
  return {
    adapter: data("p2"),
    state: { m: data("m2"), v: data("v2"), step },
    gradNorm: data("norm")[0] ?? NaN,
  };
}
