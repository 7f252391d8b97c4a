/**
 * A model whose matrices are in blocks trains as the float32 model that the blocks stand for: every plan's gradient, in
 * float64, on onnxruntime and on our kernels, and log-probabilities of rollouts.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defined } from "../../base/assert.ts";
import type { Engine } from "../../engine/runtime/engine.ts";
import { inBlocks, outOfBlocks } from "../../testing/block-weights.ts";
import { interpretedGraphs } from "../../testing/interpreted-graphs.ts";
import { NODE_ENGINES } from "../../testing/node-engines.ts";
import { testRolloutLogProbs } from "../../testing/rollout-log-probs.ts";
import { ARCHITECTURES, randomWeights } from "../../testing/tiny-model.ts";
import { inFloat64, planDistance, runPlan, updateCase } from "../../testing/update-plans.ts";
import { compiledGraphs } from "./compiled-graphs.ts";

const PLANS = [
  { plan: "whole", chunked: false },
  { plan: "whole", chunked: true },
  { plan: "layered", chunked: false },
  { plan: "layered", chunked: true },
] as const;

/** One engine of each kind for all tests. */
const ENGINES = NODE_ENGINES.map(([name, open]) => {
  let engine: Engine | null = null;
  beforeAll(async () => {
    engine = await open();
  });
  afterAll(() => engine?.dispose());
  return () => defined(engine, name);
});

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
      for (const engine of ENGINES.map((engineOf) => engineOf())) {
        const graphs = compiledGraphs(engine, given.weights);
        for (const plan of PLANS) {
          expect(planDistance(await runPlan(given, { engine, graphs }, plan), exact)).toBeLessThan(1e-5);
        }
        expect(engine.liveBuffers().count).toBe(0);
        await graphs.dispose();
      }
      const unquantised = await runPlan(plain, interpretedGraphs(plain.weights), PLANS[0]);
      expect(planDistance(unquantised, exact)).toBeGreaterThan(1e-3); // bits cost something, so it was they that ran
    },
  );
});

describe.each(NODE_ENGINES)("rollouts on %s", (_, open) => {
  for (const bits of [8, 4] as const) {
    describe(`with ${bits} bits`, () => {
      testRolloutLogProbs("qwen3", open, bits);
    });
  }
});
