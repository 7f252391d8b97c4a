/** A model on WebGPU beside WASM: logits, sampled log-probabilities, gradients; and its speed on WebGPU. */
import { defined } from "../../src/base/assert.ts";
import { createRng } from "../../src/base/rng.ts";
import { grpoConfigSchema, loraConfigSchema } from "../../src/domain/grpo/config.ts";
import type { Engine } from "../../src/engine/runtime/engine.ts";
import type { LoadedModel } from "../../src/engine/weights/load-model.ts";
import { createModelPolicy } from "../../src/training/model-policy/create.ts";
import type { GradientResult, Policy, TrainingGroup } from "../../src/training/policy.ts";
import { freshOptimizer } from "../../src/training/update.ts";
import { layerGradient, type StepCase, stepLogits } from "./step-logits.ts";

const LORA = loraConfigSchema.parse({});
/** Longest prompt of the check, some models' system prompt in it, plus its completions. */
const POSITIONS = 256;
/** No token ends a row, so that all are as long as was asked. */
const NO_END = [-1];

export interface Amount {
  readonly group: number;
  readonly tokens: number;
}

/** Of one step, which any adapter computes in a short time. */
export interface StepResult {
  /** Largest difference of a logit after the prompt, relative to the largest logit. */
  readonly logits: number;
  /** The same after one more token, decoded with the prompt's cache. */
  readonly stepLogits: number;
  /** Length of the difference of one layer's gradients, relative to WASM's. */
  readonly layerGradient: number;
}

/** Of a group that was sampled and learned from. */
export interface GroupResult {
  /** Largest difference between WebGPU's log-probability of a token it sampled and WASM's of the same token. */
  readonly logProbs: number;
  /** Length of the gradients' difference relative to WASM's gradient; its loss likewise. */
  readonly gradient: number;
  readonly loss: number;
}

export type EnginesResult = StepResult & GroupResult;

export interface SpeedResult {
  /** Medians of the tries, after one run that warms up. */
  readonly rolloutTokensPerSecond: number;
  readonly updateTokensPerSecond: number;
}

export interface EnginesCheck {
  compareStep(): Promise<StepResult>;
  compareGroup(amount: Amount): Promise<GroupResult>;
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

  const one: StepCase = { model, lora: LORA, adapter: on.adapter, prompt, positions: POSITIONS };

  return {
    compareStep: () => compareStep(engines, one),
    async compareGroup(amount) {
      const given = await sample(webgpu, on, amount);
      const ours = await gradient(webgpu, on.adapter, given);
      const theirs = await gradient(wasm, on.adapter, given);
      const sampled = given.completions.flatMap((row) => [...row.oldLogProbs]);
      const scored = theirs.logProbs.flat().flatMap((row) => [...row]);
      return {
        logProbs: largest(minus(Float32Array.from(sampled), Float32Array.from(scored))),
        gradient: lengthOf(minus(ours.gradient, theirs.gradient)) / lengthOf(theirs.gradient),
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

async function compareStep(
  { webgpu, wasm }: Readonly<Record<"webgpu" | "wasm", Engine>>,
  given: StepCase,
): Promise<StepResult> {
  const theirs = { ...(await stepLogits(wasm, given)), layer: await layerGradient(wasm, given) };
  const ours = { ...(await stepLogits(webgpu, given)), layer: await layerGradient(webgpu, given) };
  return {
    logits: largest(minus(ours.prompt, theirs.prompt)) / largest(theirs.prompt),
    stepLogits: largest(minus(ours.step, theirs.step)) / largest(theirs.step),
    layerGradient: lengthOf(minus(ours.layer, theirs.layer)) / lengthOf(theirs.layer),
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

const minus = (a: Float32Array, b: Float32Array): Float32Array => a.map((value, i) => value - (b[i] ?? NaN));

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
