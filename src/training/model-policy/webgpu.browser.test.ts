/**
 * The same tiny model on WASM and on WebGPU (here a software adapter): forced tokens give the same losses and
 * gradients over three updates, rollouts sample the same tokens, every node runs on the GPU and no buffer is left.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRng } from "../../base/rng.ts";
import { sizeOf, type HostTensor } from "../../engine/graph/tensor.ts";
import { LORA_MODULES } from "../../engine/nn/lora.ts";
import { type ModelConfig, weightSpecs } from "../../engine/nn/model-config.ts";
import type { Engine } from "../../engine/runtime/engine.ts";
import { openBrowserEngine } from "../../engine/runtime/ort-browser.ts";
import { listenForPlacements } from "../../testing/placement.ts";
import type { Policy, TrainingGroup } from "../policy.ts";
import { createModelPolicy } from "./create.ts";

const CONFIG: ModelConfig = {
  architecture: "qwen3",
  hiddenSize: 32,
  layers: 2,
  heads: 4,
  kvHeads: 2,
  headDim: 8,
  mlpSize: 48,
  vocabSize: 64,
  ropeTheta: 10_000,
  rmsNormEps: 1e-6,
  tieWordEmbeddings: true,
  maxPositions: 32,
};
const LOSS = {
  loss_type: "dapo",
  epsilon: 0.2,
  epsilon_high: null,
  delta: null,
  importance_sampling_level: "token",
  beta: 0.04,
  use_bias_correction_kl: true,
  temperature: 1,
  max_completion_length: 12,
  micro_batch_size: null,
} as const;
const OPTIMIZER = {
  learningRate: 1e-2,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0.01,
  maxGradNorm: 1,
};

const rng = createRng(4, "webgpu test");
const weights = new Map<string, HostTensor>(
  weightSpecs(CONFIG).map(({ name, shape }) => {
    const scale = name.endsWith("norm.weight") ? 0.1 : 0.4;
    const data = Float32Array.from({ length: sizeOf(shape) }, () => scale * rng.normal());
    return [
      name,
      { dtype: "float32", dims: shape, data: name.endsWith("norm.weight") ? data.map((x) => 1 + x) : data },
    ];
  }),
);
const tokens = (n: number): Int32Array => Int32Array.from({ length: n }, () => rng.below(CONFIG.vocabSize));
const logProbs = (n: number): Float32Array => Float32Array.from({ length: n }, () => -4 + rng.next());
const GROUPS: readonly TrainingGroup[] = [5, 3].map((promptLength) => ({
  prompt: tokens(promptLength),
  completions: [4, 9].map((n) => ({
    tokens: tokens(n),
    advantage: rng.normal(),
    oldLogProbs: logProbs(n),
    refLogProbs: logProbs(n),
  })),
}));

const placements = listenForPlacements();
const engines: Engine[] = [];
async function policyOn(kind: "wasm" | "webgpu"): Promise<{ policy: Policy; engine: Engine }> {
  const engine = await openBrowserEngine(kind, { threads: 1, verbose: true });
  engines.push(engine);
  const model = { config: CONFIG, weights, endTokenIds: [0] };
  const lora = { r: 2, lora_alpha: 4, target_modules: LORA_MODULES };
  return { engine, policy: createModelPolicy({ engine, model, lora, maxPositions: CONFIG.maxPositions }) };
}

/** Three updates on the same tokens. */
async function trajectory(
  policy: Policy,
): Promise<{ loss: number; gradient: Float32Array; gradNorm: number }[]> {
  const start = createRng(9, "adapter");
  let adapter: Float32Array = Float32Array.from({ length: policy.adapterSize }, () => 0.2 * start.normal());
  let state = { m: new Float32Array(adapter.length), v: new Float32Array(adapter.length), step: 0 };
  const steps = [];
  for (let i = 0; i < 3; i++) {
    const { loss, gradient } = await policy.gradient(GROUPS, adapter, LOSS);
    const next = await policy.optimize(adapter, gradient, state, OPTIMIZER);
    steps.push({ loss, gradient, gradNorm: next.gradNorm });
    adapter = next.adapter;
    state = next.state as typeof state;
  }
  return steps;
}

const norm = (x: Float32Array): number => Math.sqrt(x.reduce((sum, value) => sum + value * value, 0));

describe("WebGPU beside WASM", () => {
  let wasm: Awaited<ReturnType<typeof policyOn>>;
  let gpu: Awaited<ReturnType<typeof policyOn>>;
  beforeAll(async () => {
    wasm = await policyOn("wasm");
    gpu = await policyOn("webgpu");
  });
  afterAll(async () => {
    for (const engine of engines) await engine.dispose();
  });

  test("gives the same losses and gradients over three updates, wholly on the GPU", async () => {
    const expected = await trajectory(wasm.policy);
    placements.take();
    const actual = await trajectory(gpu.policy);
    expect(new Set(placements.take().flatMap(Object.keys))).toEqual(new Set(["WebGpuExecutionProvider"]));
    actual.forEach((step, i) => {
      const reference = expected[i];
      if (!reference) throw new Error("a step is missing");
      expect(Math.abs(step.loss - reference.loss)).toBeLessThan(1e-3 * Math.abs(reference.loss));
      expect(Math.abs(step.gradNorm - reference.gradNorm)).toBeLessThan(1e-3 * reference.gradNorm);
      const difference = step.gradient.map((value, j) => value - (reference.gradient[j] ?? NaN));
      expect(norm(difference)).toBeLessThan(1e-3 * norm(reference.gradient));
    });
  });

  test("gives the same gradient with a ratio for each sequence, delta and a masked completion", async () => {
    const groups = GROUPS.map(({ prompt, completions }) => ({
      prompt,
      completions: completions.map((row, i) => ({ ...row, inLoss: i > 0 })),
    }));
    const loss = { ...LOSS, importance_sampling_level: "sequence", delta: 1.1 } as const;
    const adapter = new Float32Array(wasm.policy.adapterSize).fill(0.05);
    const expected = await wasm.policy.gradient(groups, adapter, loss);
    placements.take();
    const actual = await gpu.policy.gradient(groups, adapter, loss);
    expect(new Set(placements.take().flatMap(Object.keys))).toEqual(new Set(["WebGpuExecutionProvider"]));
    const difference = actual.gradient.map((value, j) => value - (expected.gradient[j] ?? NaN));
    expect(norm(expected.gradient)).toBeGreaterThan(1e-3);
    expect(norm(difference)).toBeLessThan(1e-3 * norm(expected.gradient));
  });

  test.each([
    { topK: 0, topP: 1 },
    { topK: 20, topP: 0.8 },
  ])("samples the same tokens, and gives every buffer back: top-k $topK, top-p $topP", async (truncation) => {
    const request = {
      prompts: GROUPS.map((group) => group.prompt),
      groupSize: 3,
      maxTokens: 10,
      temperature: 1,
      ...truncation,
      adapter: null,
    };
    const expected = await wasm.policy.rollout({ ...request, uniform: createRng(3).next });
    placements.take();
    await gpu.policy.rollout({ ...request, uniform: createRng(3).next });
    expect(new Set(placements.take().flatMap(Object.keys))).toEqual(new Set(["WebGpuExecutionProvider"]));
    const before = gpu.engine.liveBuffers();
    const actual = await gpu.policy.rollout({ ...request, uniform: createRng(3).next });
    expect(gpu.engine.liveBuffers()).toEqual(before);
    actual.forEach((group, p) => {
      group.forEach((completion, g) => {
        const reference = expected[p]?.[g];
        expect(Array.from(completion.tokens)).toEqual(Array.from(reference?.tokens ?? []));
        completion.logProbs.forEach((value, t) => {
          expect(Math.abs(value - (reference?.logProbs[t] ?? NaN))).toBeLessThan(1e-3);
        });
      });
    });
  });
});
