/** What the planner says a run takes on WebGPU (here a software adapter), beside every GPU buffer that was made and not destroyed. */
import { afterAll, expect, test } from "vitest";
import { openBrowserEngine } from "../engine/runtime/ort-browser.ts";
import { inBlocks } from "../testing/block-weights.ts";
import { countGpuBuffers } from "../testing/counted-gpu.ts";
import { NO_END, PLANNED_PROMPT, plannedSettings, plannedStep } from "../testing/planned-run.ts";
import { randomWeights, tinyConfig } from "../testing/tiny-model.ts";
import { createModelPolicy } from "./model-policy/create.ts";
import { runMemory, weightBytes } from "./run-memory.ts";

const gpu = countGpuBuffers();
afterAll(() => {
  gpu.stop();
});

const CONFIG = {
  ...tinyConfig("qwen3", 2048),
  ...{ hiddenSize: 128, layers: 2, heads: 4, headDim: 32, mlpSize: 384, maxPositions: 512 },
};
const G = 4;
const BY_LAYERS = { plan: "layered", largestTableBytes: 4 * 128 * 512 * 4 } as const;

interface Case {
  readonly bits: 8 | null;
  readonly tokens: number;
  readonly options: object;
}

test.each<[string, Case]>([
  ["one graph", { bits: null, tokens: 24, options: {} }],
  ["layers and a head in chunks", { bits: null, tokens: 40, options: BY_LAYERS }],
  ["layers and a head in chunks, 8 bits", { bits: 8, tokens: 40, options: BY_LAYERS }],
])("is within 15 percent of the counted buffers: %s", async (_, { bits, tokens, options }) => {
  const grpo = plannedSettings({ num_generations: G, max_completion_length: tokens, micro_batch_size: G });
  const engine = await openBrowserEngine("webgpu", { threads: 1 });
  const model = { config: CONFIG, weights: inBlocks(randomWeights(CONFIG), bits), endTokenIds: NO_END };
  const policy = createModelPolicy({ engine, model, lora: grpo.lora, maxPositions: 512, ...options });
  gpu.takePeak();
  const counted: Record<string, number> = {};
  const onPhase = (phase: string): void => void (counted[phase] = gpu.takePeak());
  await plannedStep(policy, { grpo, vocabSize: CONFIG.vocabSize, heldOut: 0, onPhase });
  const storage = bits === null ? "f32" : "q8";
  expect(engine.liveBuffers().bytes).toBe(weightBytes(CONFIG, storage)); // alone, and to the byte
  const size = { config: CONFIG, storage, engine: "webgpu", grpo, arms: 1, ...options } as const;
  const { engineBytes } = runMemory({ ...size, promptTokens: PLANNED_PROMPT }, G);
  const peak = Math.max(...Object.values(counted));
  const said = `planned ${engineBytes}, counted ${JSON.stringify(counted)}`;
  expect(peak / engineBytes, said).toBeGreaterThan(0.85);
  expect(peak / engineBytes, said).toBeLessThan(1.15);
  const { layers, kvHeads, headDim, maxPositions } = CONFIG;
  const longest = 2 * 4 * layers * kvHeads * headDim * maxPositions * (G + 1);
  // caches are as long as this run needs, a quarter of the longest
  if (bits !== null) expect(counted["rollout"]).toBeLessThan(weightBytes(CONFIG, storage) + longest);
  await policy.dispose();
  await engine.dispose();
  expect(gpu.held()).toBe(0);
});
