/**
 * A model whose matrices are in blocks trains as the float32 model that the blocks stand for: every plan's gradient, in
 * float64 and on onnxruntime, and log-probabilities of rollouts. Our own kernels refuse it.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openKernelEngine } from "../../engine/kernels/kernels-node.ts";
import { openNodeEngine } from "../../engine/runtime/ort-node.ts";
import type { Engine } from "../../engine/runtime/engine.ts";
import { inBlocks, outOfBlocks } from "../../testing/block-weights.ts";
import { interpretedGraphs } from "../../testing/interpreted-graphs.ts";
import { testRolloutLogProbs } from "../../testing/rollout-log-probs.ts";
import { ARCHITECTURES, randomWeights, TINY_END, TINY_LORA } from "../../testing/tiny-model.ts";
import { inFloat64, planDistance, runPlan, updateCase } from "../../testing/update-plans.ts";
import { compiledGraphs } from "./compiled-graphs.ts";
import { createModelPolicy } from "./create.ts";

const PLANS = [
  { plan: "whole", chunked: false },
  { plan: "whole", chunked: true },
  { plan: "layered", chunked: false },
  { plan: "layered", chunked: true },
] as const;

let engine: Engine;
beforeAll(() => {
  engine = openNodeEngine(1);
});
afterAll(() => engine.dispose());

describe.each([8, 4] as const)("%i bits", (bits) => {
  it.each(ARCHITECTURES)(
    "a tiny %s has the gradient of its own numbers by every plan",
    async (architecture) => {
      const plain = updateCase(architecture);
      const given = { ...plain, weights: inBlocks(randomWeights(plain.config), bits) };
      const same = { ...plain, weights: outOfBlocks(given.weights) };
      const exact = await runPlan(inFloat64(given), interpretedGraphs(given.weights), PLANS[0]);
      // the same numbers, each rounded to float32
      expect(
        planDistance(await runPlan(inFloat64(same), interpretedGraphs(same.weights), PLANS[0]), exact),
      ).toBeLessThan(1e-6);
      const graphs = compiledGraphs(engine, given.weights);
      for (const plan of PLANS) {
        expect(planDistance(await runPlan(given, { engine, graphs }, plan), exact)).toBeLessThan(1e-5);
      }
      const unquantised = await runPlan(plain, interpretedGraphs(plain.weights), PLANS[0]);
      expect(planDistance(unquantised, exact)).toBeGreaterThan(1e-3); // bits cost something, so it was they that ran
      expect(engine.liveBuffers().count).toBe(0);
      await graphs.dispose();
    },
  );
});

describe.each([8, 4] as const)("rollouts with %i bits", (bits) => {
  testRolloutLogProbs("qwen3", () => Promise.resolve(openNodeEngine(1)), bits);
});

it("is refused by our own kernels", async () => {
  const kernels = await openKernelEngine();
  const { config } = updateCase("qwen3");
  const model = { config, weights: inBlocks(randomWeights(config), 8), endTokenIds: TINY_END };
  expect(() => createModelPolicy({ engine: kernels, model, lora: TINY_LORA, maxPositions: 16 })).toThrow(
    "weights in blocks of 8 bits",
  );
  await kernels.dispose();
});
