/**
 * Base weights in blocks in a browser: on WASM each plan's numbers, on WebGPU (here a software adapter) one layered update
 * and the first steps of a rollout beside WASM's, every node on the GPU and no buffer left.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRng } from "../../base/rng.ts";
import type { Engine } from "../../engine/runtime/engine.ts";
import { openBrowserEngine } from "../../engine/runtime/ort-browser.ts";
import { inBlocks } from "../../testing/block-weights.ts";
import { interpretedGraphs } from "../../testing/interpreted-graphs.ts";
import { listenForPlacements } from "../../testing/placement.ts";
import { randomAdapter, randomWeights, TINY_END, TINY_LORA, tinyConfig } from "../../testing/tiny-model.ts";
import { planDistance, runPlan, type UpdateCase, updateCase } from "../../testing/update-plans.ts";
import { compiledGraphs } from "./compiled-graphs.ts";
import { createModelPolicy } from "./create.ts";
import { PLAN_NAMES } from "./plan-choice.ts";

const placements = listenForPlacements();
let wasm: Engine;
let gpu: Engine;
beforeAll(async () => {
  wasm = await openBrowserEngine("wasm", { threads: 1 });
  gpu = await openBrowserEngine("webgpu", { threads: 1, verbose: true });
});
afterAll(async () => {
  await wasm.dispose();
  await gpu.dispose();
});

function caseOf(bits: 4 | 8): UpdateCase {
  const plain = updateCase("qwen3");
  return { ...plain, weights: inBlocks(randomWeights(plain.config), bits) };
}

const CONFIG = tinyConfig("qwen3", 40);
/** Chunks of 7 rows; of 2 rows of one block each onnxruntime's WebGPU product is wrong, which no real table is cut to. */
const SMALL_BINDING = 4 * 16 * 4 * 7;

function policyOn(engine: Engine) {
  const model = { config: CONFIG, weights: inBlocks(randomWeights(CONFIG), 8), endTokenIds: TINY_END };
  const largestTableBytes = SMALL_BINDING;
  return createModelPolicy({ engine, model, lora: TINY_LORA, maxPositions: 16, largestTableBytes });
}

test.each([8, 4] as const)("WASM updates on %i bits by each plan", async (bits) => {
  const given = caseOf(bits);
  const exact = await runPlan(given, interpretedGraphs(given.weights), { plan: "whole", chunked: false });
  const graphs = compiledGraphs(wasm, given.weights);
  for (const plan of PLAN_NAMES) {
    const run = await runPlan(given, { engine: wasm, graphs }, { plan, chunked: plan === "layered" });
    expect(planDistance(run, exact)).toBeLessThan(1e-5);
  }
  await graphs.dispose();
});

test.each([8, 4] as const)("WebGPU updates on %i bits, wholly on the GPU", async (bits) => {
  const given = caseOf(bits);
  const exact = await runPlan(given, interpretedGraphs(given.weights), { plan: "whole", chunked: false });
  const graphs = compiledGraphs(gpu, given.weights);
  placements.take();
  const run = await runPlan(given, { engine: gpu, graphs }, { plan: "layered", chunked: true });
  expect(new Set(placements.take().flatMap(Object.keys))).toEqual(new Set(["WebGpuExecutionProvider"]));
  expect(planDistance(run, exact)).toBeLessThan(1e-4);
  await graphs.dispose();
  expect(gpu.liveBuffers().count).toBe(0);
});

test("WebGPU samples on 8 bits what WASM does, its table cut to what a small adapter binds", async () => {
  const request = {
    prompts: [Int32Array.of(3, 1, 4, 1, 5)],
    ...{ groupSize: 2, maxTokens: 4, temperature: 1, topK: 0, topP: 1 },
    adapter: randomAdapter(policyOn(wasm).adapterSize),
  };
  const [expected = []] = await policyOn(wasm).rollout({ ...request, uniform: createRng(3).next });
  const policy = policyOn(gpu);
  placements.take();
  const [actual = []] = await policy.rollout({ ...request, uniform: createRng(3).next });
  expect(new Set(placements.take().flatMap(Object.keys))).toEqual(new Set(["WebGpuExecutionProvider"]));
  actual.forEach(({ tokens, logProbs }, g) => {
    expect([...tokens]).toEqual([...(expected[g]?.tokens ?? [])]);
    logProbs.forEach((value, t) => {
      expect(Math.abs(value - (expected[g]?.logProbs[t] ?? NaN))).toBeLessThan(1e-3);
    });
  });
  await policy.dispose();
  expect(gpu.liveBuffers().count).toBe(0);
});
