/** What the planner says a run takes, beside what a run takes: the kernels' memory counted block by block. */
import { describe, expect, it } from "vitest";
import { defined } from "../base/assert.ts";
import type { GrpoConfig } from "../domain/grpo/config.ts";
import { openKernelEngine } from "../engine/kernels/kernels-node.ts";
import { loadModel } from "../engine/weights/load-model.ts";
import { createFolderSource } from "../headless/folder-source.ts";
import { inBlocks } from "../testing/block-weights.ts";
import { bundledModelFolders } from "../testing/bundled-model.ts";
import { countHeap } from "../testing/counted-heap.ts";
import { NO_END, PLANNED_PROMPT, plannedSettings, plannedStep } from "../testing/planned-run.ts";
import { randomWeights, tinyConfig } from "../testing/tiny-model.ts";
import { createModelPolicy, type PolicyModel } from "./model-policy/create.ts";
import { runMemory } from "./run-memory.ts";

/** Most bytes of an engine's memory in one step. */
async function counted(model: PolicyModel, grpo: GrpoConfig, options: object): Promise<number> {
  const engine = await openKernelEngine();
  const heap = countHeap(engine);
  const policy = createModelPolicy({ engine, model, lora: grpo.lora, maxPositions: 128, ...options });
  const { vocabSize } = model.config;
  await plannedStep(policy, { grpo, vocabSize, heldOut: 0, onPhase: () => undefined });
  const peak = heap.takePeak();
  await policy.dispose();
  await engine.dispose();
  return peak;
}

async function bundled(): Promise<PolicyModel> {
  const folder = defined(bundledModelFolders("model.safetensors")[0], "bundled model");
  return { ...(await loadModel(createFolderSource(folder))), endTokenIds: NO_END };
}

const random =
  (change: object, bits: 8 | null = null) =>
  (): PolicyModel => {
    const config = { ...tinyConfig("qwen3", 400), maxPositions: 128, ...change };
    return { config, weights: inBlocks(randomWeights(config), bits), endTokenIds: NO_END };
  };

const MIDDLE = { vocabSize: 4096, hiddenSize: 128, mlpSize: 384, heads: 4, headDim: 32, layers: 4 };
const BY_LAYERS = { plan: "layered", largestTableBytes: 4 * 128 * 1024 } as const;

interface Case {
  readonly open: () => PolicyModel | Promise<PolicyModel>;
  readonly change: object;
  readonly options?: Partial<typeof BY_LAYERS>;
}

const LONG = { max_completion_length: 64 };

describe("the plan's bytes beside the counted ones", () => {
  it.each<[string, Case]>([
    [
      "the bundled model",
      { open: bundled, change: { num_generations: 16, max_completion_length: 48, micro_batch_size: 16 } },
    ],
    ["the bundled model, two prompts in parts", { open: bundled, change: { prompts_per_step: 2 } }],
    ["a tiny model", { open: random({}), change: {} }],
    [
      "a tiny model, a ratio for each answer",
      { open: random({}), change: { importance_sampling_level: "sequence" } },
    ],
    ["8 bits", { open: random(MIDDLE, 8), change: {} }],
    ["layers and a head in chunks", { open: random(MIDDLE), change: {}, options: BY_LAYERS }],
    ["layers and a head in chunks, 8 bits", { open: random(MIDDLE, 8), change: LONG, options: BY_LAYERS }],
  ])("are within 15 percent: %s", async (name, { open, change, options = {} }) => {
    const grpo = plannedSettings(change);
    const model = await open();
    const peak = await counted(model, grpo, options);
    const { config } = model;
    const storage = name.includes("8 bits") ? "q8" : "f32";
    const size = { config, storage, engine: "kernels", grpo, arms: 1, ...options } as const;
    const { engineBytes } = runMemory({ ...size, promptTokens: PLANNED_PROMPT }, grpo.micro_batch_size ?? 8);
    process.stdout.write(`${name}: planned ${engineBytes}, counted ${peak}\n`);
    expect(peak / engineBytes).toBeGreaterThan(0.85);
    expect(peak / engineBytes).toBeLessThan(1.15);
  });
});
