/**
 * Tiny models of each architecture on our kernels, on WASM and on WebGPU (here a software adapter) beside the float64 interpreter: a
 * prompt, four decoding steps, rollouts, scores, loss and gradient; and every graph that WebGPU is given stays there.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRng } from "../../base/rng.ts";
import { adamwGraph } from "../../engine/nn/adamw.ts";
import { loraLayout } from "../../engine/nn/lora.ts";
import { decodeStepGraph } from "../../engine/nn/rollout-graphs.ts";
import { openKernelEngine } from "../../engine/kernels/kernels-browser.ts";
import type { Engine } from "../../engine/runtime/engine.ts";
import { openBrowserEngine } from "../../engine/runtime/ort-browser.ts";
import { decodeSteps } from "../../testing/decode-steps.ts";
import { relativeError } from "../../testing/grpo-step.ts";
import { interpretedGraphs } from "../../testing/interpreted-graphs.ts";
import { listenForPlacements } from "../../testing/placement.ts";
import { ARCHITECTURES, TINY_END, TINY_LORA } from "../../testing/tiny-model.ts";
import { planDistance, runPlan, updateCase, type UpdateCase } from "../../testing/update-plans.ts";
import { compiledGraphs } from "./compiled-graphs.ts";
import { createModelPolicy } from "./create.ts";
import { loopRollout } from "./loop-rollout.ts";

const placements = listenForPlacements();
const WHOLE = { plan: "whole", chunked: false } as const;
/** Five tokens: the first from the prompt's logits, then four decoding steps. */
const SAMPLING = { groupSize: 3, maxTokens: 5, temperature: 1.2, topK: 0, topP: 1 };

/** Rollouts of the page's own kind beside the same rollouts in float64. */
async function expectRollouts(
  engine: Engine,
  { config, weights, adapter, groups }: UpdateCase,
): Promise<void> {
  const exact = interpretedGraphs(weights);
  const model = { config, weights, endTokenIds: TINY_END };
  const policy = createModelPolicy({ engine, model, lora: TINY_LORA, maxPositions: 16 });
  const prompts = groups.map((group) => group.prompt);
  const rows = await policy.rollout({ ...SAMPLING, prompts, adapter, uniform: createRng(4).next });
  const context = {
    graphs: exact.graphs,
    model: { config, lora: loraLayout(config, TINY_LORA), maxPositions: 16 },
    endTokenIds: TINY_END,
  };
  const exactRequest = { ...SAMPLING, prompts, adapter, uniform: createRng(4).next };
  const exactRows = (await loopRollout(context, exactRequest, adapter)).flat();
  rows.flat().forEach(({ tokens, logProbs }, i) => {
    expect([...tokens]).toEqual([...(exactRows[i]?.tokens ?? [])]);
    expect(relativeError(logProbs, exactRows[i]?.logProbs ?? [])).toBeLessThan(1e-4);
  });
  await policy.dispose();
}

describe.each(["kernels", "wasm", "webgpu"] as const)("%s beside float64", (kind) => {
  let engine: Engine;
  beforeAll(async () => {
    engine =
      kind === "kernels"
        ? await openKernelEngine()
        : await openBrowserEngine(kind, { threads: 1, verbose: kind === "webgpu" });
  });
  afterAll(() => engine.dispose());

  test.each(ARCHITECTURES)("%s", async (architecture) => {
    const given = updateCase(architecture);
    const { weights } = given;
    const exact = interpretedGraphs(weights);
    const graphs = compiledGraphs(engine, weights);
    placements.take();

    const steps = await decodeSteps(given, graphs);
    const exactSteps = await decodeSteps(given, exact.graphs);
    steps.forEach((step, i) => {
      const { logits, logProbs, tokens } = exactSteps[i] ?? { logits: [], logProbs: [], tokens: [] };
      expect(step.tokens).toEqual(tokens);
      expect(relativeError(step.logits, logits)).toBeLessThan(1e-5);
      if (i > 0) expect(relativeError(step.logProbs, logProbs)).toBeLessThan(1e-5);
    });

    const update = await runPlan(given, { engine, graphs }, WHOLE);
    expect(planDistance(update, await runPlan(given, exact, WHOLE))).toBeLessThan(1e-5);
    await graphs.dispose();

    if (kind !== "webgpu") await expectRollouts(engine, given);
    const placed = placements.take().map((placement) => Object.keys(placement));
    if (kind === "webgpu") {
      expect(placed.length).toBe(5);
      expect(new Set(placed.flat())).toEqual(new Set(["WebGpuExecutionProvider"]));
    }
    expect(engine.liveBuffers().count).toBe(0);
  });
});

test("the optimizer and every way to sample stay on the GPU", async () => {
  const engine = await openBrowserEngine("webgpu", { threads: 1, verbose: true });
  const { config } = updateCase("qwen3");
  const model = { config, lora: loraLayout(config, TINY_LORA), maxPositions: 16 };
  const sampler = { batch: 2, vocabSize: config.vocabSize, topK: 0, topP: 1, greedy: false };
  const step = (change: object) =>
    decodeStepGraph(model, { ...sampler, ...change, endTokenIds: TINY_END }, 16);
  const settings = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.01, maxGradNorm: 1 };
  const graphs = {
    adamw: adamwGraph(model.lora.size, settings),
    "top-k": step({ topK: 4 }),
    "top-p": step({ topP: 0.8 }),
    "top-k and top-p": step({ topK: 4, topP: 0.8 }),
    greedy: step({ greedy: true }),
  };
  for (const [name, graph] of Object.entries(graphs)) {
    placements.take();
    const session = await engine.compile(graph, { name });
    expect({ name, placed: placements.take().map(Object.keys) }).toEqual({
      name,
      placed: [["WebGpuExecutionProvider"]],
    });
    await session.dispose();
  }
  await engine.dispose();
});
