/** What the planner says a run takes on onnxruntime's WASM, beside what its heap comes to: a model that goes by layers, its head in chunks. */
import { afterAll, expect, it } from "vitest";
import { inBlocks } from "../testing/block-weights.ts";
import { countWasmMemory } from "../testing/counted-wasm.ts";
import { NO_END, PLANNED_PROMPT, plannedSettings, plannedStep } from "../testing/planned-run.ts";
import { randomWeights, tinyConfig } from "../testing/tiny-model.ts";
import { createModelPolicy } from "./model-policy/create.ts";
import { runMemory } from "./run-memory.ts";

const wasm = countWasmMemory();
afterAll(() => {
  wasm.stop();
});

/** 27 million parameters: 107 MB of floats. */
const CONFIG = {
  ...tinyConfig("qwen3", 32_768),
  ...{ hiddenSize: 384, layers: 8, heads: 6, kvHeads: 2, headDim: 64, mlpSize: 1024, maxPositions: 128 },
};
const GRPO = plannedSettings({ num_generations: 4, max_completion_length: 24, micro_batch_size: 4 });

it.each([
  // the heap never shrinks: the smaller one first
  ["q8", 8],
  ["f32", null],
] as const)("is within 15 percent of the heap: %s", async (storage, bits) => {
  const { openNodeWasmEngine } = await import("../engine/runtime/ort-node-wasm.ts");
  const engine = openNodeWasmEngine(1);
  const model = { config: CONFIG, weights: inBlocks(randomWeights(CONFIG), bits), endTokenIds: NO_END };
  const policy = createModelPolicy({ engine, model, lora: GRPO.lora, maxPositions: 128 });
  const phases: string[] = [];
  const onPhase = (phase: string): void => void phases.push(`${phase} ${wasm.held()}`);
  await plannedStep(policy, { grpo: GRPO, vocabSize: CONFIG.vocabSize, heldOut: 2, onPhase });
  const peak = wasm.held();
  await policy.dispose();
  await engine.dispose();
  const size = { config: CONFIG, storage, engine: "wasm", grpo: GRPO, arms: 1 } as const;
  const { engineBytes } = runMemory({ ...size, promptTokens: PLANNED_PROMPT }, 4);
  process.stdout.write(`${storage}: planned ${engineBytes}, counted ${phases.join(", ")}\n`);
  expect(peak / engineBytes).toBeGreaterThan(0.85);
  expect(peak / engineBytes).toBeLessThan(1.15);
});
