/** The bundled model on WebGPU beside WASM: logits, sampled log-probabilities, gradients; and its speed on WebGPU. */
import { defined } from "../../src/base/assert.ts";
import { createRng } from "../../src/base/rng.ts";
import { grpoConfigSchema, loraConfigSchema } from "../../src/domain/grpo/config.ts";
import { float32, type HostTensor } from "../../src/engine/graph/tensor.ts";
import { loraLayout } from "../../src/engine/nn/lora.ts";
import { prefillGraph } from "../../src/engine/nn/rollout-graphs.ts";
import type { Engine } from "../../src/engine/runtime/engine.ts";
import type { LoadedModel } from "../../src/engine/weights/load-model.ts";
import { compiledGraphs } from "../../src/training/model-policy/compiled-graphs.ts";
import { createModelPolicy } from "../../src/training/model-policy/create.ts";
import { promptFeeds } from "../../src/training/model-policy/rollout-rows.ts";
import type { GradientResult, Policy, TrainingGroup } from "../../src/training/policy.ts";
import { freshOptimizer } from "../../src/training/update.ts";

const LORA = loraConfigSchema.parse({});
/** Longest prompt of the check plus its completions. */
const POSITIONS = 128;
/** No token ends a row, so that all are as long as was asked. */
const NO_END = [-1];

export interface Amount {
  readonly group: number;
  readonly tokens: number;
}

export interface EnginesResult {
  /** Largest difference of a logit, relative to the largest logit. */
  readonly logits: number;
  /** Largest difference between WebGPU's log-probability of a token it sampled and WASM's of the same token. */
  readonly logProbs: number;
  /** Length of the gradients' difference relative to WASM's gradient; its loss likewise. */
  readonly gradient: number;
  readonly loss: number;
}

export interface SpeedResult {
  /** Medians of the tries, after one run that warms up. */
  readonly rolloutTokensPerSecond: number;
  readonly updateTokensPerSecond: number;
}

export interface EnginesCheck {
  compare(amount: Amount): Promise<EnginesResult>;
  speed(amount: Amount & { readonly tries: number }): Promise<SpeedResult>;
  /** Ends both policies; buffers that stayed are in the engine's own count. */
  close(): Promise<{ readonly webgpuTensorsLeft: number }>;
}

export function openEnginesCheck(
  model: LoadedModel,
  prompt: Int32Array,
  engines: Readonly<Record<"webgpu" | "wasm", Engine>>,
): EnginesCheck {
  const policyOn = (engine: Engine): Policy =>
    createModelPolicy({
      engine,
      model: { ...model, endTokenIds: NO_END },
      lora: LORA,
      maxPositions: POSITIONS,
    });
  const webgpu = policyOn(engines.webgpu);
  const wasm = policyOn(engines.wasm);
  const rng = createRng(3, "gpu check");
  const on: Given = {
    prompt,
    adapter: Float32Array.from({ length: webgpu.adapterSize }, () => 0.02 * rng.normal()),
  };

  return {
    async compare(amount) {
      const given = await sample(webgpu, on, amount);
      const ours = await gradient(webgpu, on.adapter, given);
      const theirs = await gradient(wasm, on.adapter, given);
      const sampled = given.completions.flatMap((row) => [...row.oldLogProbs]);
      const scored = theirs.logProbs.flat().flatMap((row) => [...row]);
      const off = ours.gradient.map((value, i) => value - (theirs.gradient[i] ?? NaN));
      return {
        logits: await compareLogits(model, prompt, { engines, adapter: on.adapter }),
        logProbs: largest(sampled.map((value, i) => value - (scored[i] ?? NaN))),
        gradient: lengthOf(off) / lengthOf(theirs.gradient),
        loss: Math.abs(ours.loss / theirs.loss - 1),
      };
    },
    async speed(amount) {
      const given = await sample(webgpu, on, amount);
      const rollout = await medianSeconds(amount.tries, () => sample(webgpu, on, amount));
      const update = await medianSeconds(amount.tries, async () => {
        const { gradient: step } = await gradient(webgpu, on.adapter, given);
        await webgpu.optimize(on.adapter, step, freshOptimizer(on.adapter.length), OPTIMIZER);
      });
      const tokens = amount.group * amount.tokens;
      return { rolloutTokensPerSecond: tokens / rollout, updateTokensPerSecond: tokens / update };
    },
    async close() {
      await webgpu.dispose();
      await wasm.dispose();
      return { webgpuTensorsLeft: engines.webgpu.liveBuffers().count };
    },
  };
}

interface Given {
  readonly prompt: Int32Array;
  readonly adapter: Float32Array;
}

async function sample(
  policy: Policy,
  { prompt, adapter }: Given,
  { group, tokens }: Amount,
): Promise<TrainingGroup> {
  const [rows] = await policy.rollout({
    prompts: [prompt],
    groupSize: group,
    maxTokens: tokens,
    temperature: 1,
    topK: 0,
    topP: 1,
    adapter,
    uniform: createRng(4, "gpu check").next,
  });
  return {
    prompt,
    completions: defined(rows, "a sampled group").map((row, g) => ({
      tokens: row.tokens,
      advantage: g % 2 === 0 ? 1 : -0.7,
      oldLogProbs: row.logProbs,
      refLogProbs: null,
    })),
  };
}

function gradient(policy: Policy, adapter: Float32Array, group: TrainingGroup): Promise<GradientResult> {
  return policy.gradient([group], adapter, grpoConfigSchema.parse({}));
}

const OPTIMIZER = {
  learningRate: 1e-4,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0,
  maxGradNorm: 1,
} as const;

/** The logits after the prompt, on both. */
async function compareLogits(
  model: LoadedModel,
  prompt: Int32Array,
  on: { readonly engines: Readonly<Record<"webgpu" | "wasm", Engine>>; readonly adapter: Float32Array },
): Promise<number> {
  const { config, weights } = model;
  const logitsOn = async (engine: Engine): Promise<Float32Array> => {
    const graphs = compiledGraphs(engine, weights);
    const graph = await graphs.get("prefill", () =>
      prefillGraph({ config, lora: loraLayout(config, LORA), maxPositions: POSITIONS }, POSITIONS),
    );
    const { layers, kvHeads, headDim } = config;
    const empty = float32([1, kvHeads, POSITIONS, headDim], new Float32Array(kvHeads * POSITIONS * headDim));
    const names = Array.from({ length: layers }, (_, l) => [`key.${l}`, `value.${l}`]).flat();
    const out = await graph.run({
      ...promptFeeds(prompt),
      ...Object.fromEntries(names.map((name) => [name, empty])),
      lora: float32([on.adapter.length], on.adapter),
    });
    await graphs.dispose();
    return (out["nextLogits"] as HostTensor).data as Float32Array;
  };
  const wasm = await logitsOn(on.engines.wasm);
  const webgpu = await logitsOn(on.engines.webgpu);
  return largest(webgpu.map((value, i) => value - (wasm[i] ?? NaN))) / largest(wasm);
}

/** The largest magnitude; NaN where one is NaN. */
function largest(values: Iterable<number>): number {
  let most = 0;
  for (const value of values) most = Math.max(most, Math.abs(value));
  return most;
}

const lengthOf = (x: Float32Array): number => Math.sqrt(x.reduce((sum, value) => sum + value * value, 0));

async function medianSeconds(tries: number, task: () => Promise<unknown>): Promise<number> {
  await task();
  const seconds: number[] = [];
  for (let i = 0; i < tries; i++) {
    const start = performance.now();
    await task();
    seconds.push((performance.now() - start) / 1000);
  }
  return defined(seconds.sort((a, b) => a - b)[Math.floor(tries / 2)], "a median");
}
