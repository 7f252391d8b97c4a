/** What the planner says a run takes, beside what a run takes: the kernels' memory counted block by block, phase by phase. */
import { describe, expect, it } from "vitest";
import { defined } from "../base/assert.ts";
import { createRng } from "../base/rng.ts";
import { type GrpoConfig, grpoConfigSchema } from "../domain/grpo/config.ts";
import { openKernelEngine } from "../engine/kernels/kernels-node.ts";
import { loadModel } from "../engine/weights/load-model.ts";
import { createFolderSource } from "../headless/folder-source.ts";
import { bundledModelFolders } from "../testing/bundled-model.ts";
import { countHeap } from "../testing/counted-heap.ts";
import { randomWeights, TINY_END, tinyConfig } from "../testing/tiny-model.ts";
import { createModelPolicy, type PolicyModel } from "./model-policy/create.ts";
import { planRun, weightBytes } from "./planner.ts";

const PROMPT = 40;

/** Most bytes of weights alone, while answers are sampled, and while a gradient is computed. */
async function counted(model: PolicyModel, grpo: GrpoConfig) {
  const engine = await openKernelEngine();
  const heap = countHeap(engine);
  const policy = createModelPolicy({ engine, model, lora: grpo.lora, maxPositions: 128 });
  const rng = createRng(1, "planner");
  const { num_generations: G, prompts_per_step: P, max_completion_length: T } = grpo;
  const ids = (length: number): Int32Array =>
    Int32Array.from({ length }, () => 1 + Math.floor(rng.next() * (model.config.vocabSize - 1)));
  const prompts = Array.from({ length: P }, () => ids(PROMPT));
  const adapter = policy.initialAdapter(rng.next);
  const sampling = { groupSize: G, maxTokens: T, temperature: 1, topK: 0, topP: 1 };
  await policy.rollout({ ...sampling, prompts, adapter, uniform: rng.next });
  const rollout = heap.takePeak();
  const groups = prompts.map((prompt) => ({
    prompt,
    completions: Array.from({ length: G }, (_, g) => ({
      tokens: ids(T),
      advantage: g % 2 === 0 ? 1 : -1,
      oldLogProbs: new Float32Array(T).fill(-2),
      refLogProbs: null,
    })),
  }));
  await policy.gradient(groups, adapter, grpo);
  const update = heap.takePeak();
  await policy.dispose();
  await engine.dispose();
  return { rollout, update };
}

const small = (change: object): GrpoConfig =>
  grpoConfigSchema.parse({ num_generations: 8, max_completion_length: 32, micro_batch_size: 8, ...change });

async function bundled(): Promise<PolicyModel> {
  return loadModel(createFolderSource(defined(bundledModelFolders("model.safetensors")[0], "bundled model")));
}

const tiny = (): PolicyModel => {
  const config = { ...tinyConfig("qwen3", 400), maxPositions: 128 };
  return { config, weights: randomWeights(config), endTokenIds: TINY_END };
};

describe("the plan's bytes beside the counted ones", () => {
  it.each([
    [
      "the bundled model",
      bundled,
      small({ num_generations: 16, max_completion_length: 48, micro_batch_size: 16 }),
    ],
    ["the bundled model, two prompts in parts", bundled, small({ prompts_per_step: 2 })],
    ["a tiny model", tiny, small({})],
    ["a tiny model, a ratio for each answer", tiny, small({ importance_sampling_level: "sequence" })],
  ] as const)("are within 15 %: %s", async (name, open, grpo) => {
    const model = await open();
    const { config } = model;
    const { rollout, update } = await counted(model, grpo);
    const request = { config, storage: "f32", offered: ["f32"], engine: "kernels", grpo, arms: 1 } as const;
    const plan = planRun({ ...request, promptTokens: PROMPT, maxBindingBytes: null });
    const bytes = (...names: string[]): number =>
      plan.parts.filter(({ name }) => names.includes(name)).reduce((sum, part) => sum + part.cpuBytes, 0);
    const outside = weightBytes(config, "f32"); // the page's own copy, which is not in this memory
    const planned = bytes("weights", "kv-cache", "activations", "head") - outside;
    process.stdout.write(
      `${name}: planned ${planned}, counted ${Math.max(rollout, update)} (rollout ${rollout}, update ${update})\n`,
    );
    expect(Math.max(rollout, update) / planned).toBeGreaterThan(0.85);
    expect(Math.max(rollout, update) / planned).toBeLessThan(1.15);
  });
});
