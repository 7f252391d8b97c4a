/**
 * The whole and the layered plan, each with the head in one piece and in chunks, give one set of numbers: to 1e-12 in the
 * float64 interpreter, to float32's rounding on each engine, which is left with no tensor.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRng } from "../../base/rng.ts";
import { defined } from "../../base/assert.ts";
import { grpoConfigSchema } from "../../domain/grpo/config.ts";
import type { Engine } from "../../engine/runtime/engine.ts";
import { interpretedGraphs } from "../../testing/interpreted-graphs.ts";
import { loadModel } from "../../engine/weights/load-model.ts";
import { createFolderSource } from "../../headless/folder-source.ts";
import { bundledModelFolders } from "../../testing/bundled-model.ts";
import { relativeError } from "../../testing/grpo-step.ts";
import { NODE_ENGINES } from "../../testing/node-engines.ts";
import { ARCHITECTURES, TINY_END, TINY_LORA } from "../../testing/tiny-model.ts";
import { inFloat64, planDistance, runPlan, updateCase } from "../../testing/update-plans.ts";
import type { Policy, TrainingGroup } from "../policy.ts";
import { freshOptimizer } from "../update.ts";
import { type CompiledGraphs, compiledGraphs } from "./compiled-graphs.ts";
import { createModelPolicy } from "./create.ts";
import { PLAN_NAMES } from "./plan-choice.ts";

const OTHERS = [
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
  return [name, () => defined(engine, name)] as const;
});

describe.each(ARCHITECTURES)("an update of a tiny %s", (architecture) => {
  const given = updateCase(architecture);

  it("is the same by every plan in float64", async () => {
    const interpreted = interpretedGraphs(given.weights);
    const plain = await runPlan(inFloat64(given), interpreted, { plan: "whole", chunked: false });
    expect(plain.gradient.gradient.every((value) => Number.isFinite(value))).toBe(true);
    for (const other of OTHERS) {
      expect(planDistance(await runPlan(inFloat64(given), interpreted, other), plain)).toBeLessThan(1e-12);
    }
    expect(interpreted.engine.liveBuffers().count).toBe(0);
  });

  it.each(ENGINES)("is the same by every plan on %s, which keeps no tensor", async (_, engineOf) => {
    const engine = engineOf();
    const graphs = compiledGraphs(engine, given.weights);
    const interpreted = interpretedGraphs(given.weights);
    const exact = await runPlan(given, interpreted, { plan: "whole", chunked: false });
    const plain = await runPlan(given, { engine, graphs }, { plan: "whole", chunked: false });
    expect(planDistance(plain, exact)).toBeLessThan(1e-5);
    for (const other of OTHERS) {
      const run = await runPlan(given, { engine, graphs }, other);
      expect(planDistance(run, plain)).toBeLessThan(other.plan === "whole" ? 3e-6 : 1e-5);
    }
    expect(engine.liveBuffers().count).toBe(0);
    await graphs.dispose();
  });
});

it.each(ENGINES)("lets go of what a layered update held when a run fails on %s", async (_, engineOf) => {
  const engine = engineOf();
  const given = updateCase("qwen3");
  const graphs = compiledGraphs(engine, given.weights);
  const failing: CompiledGraphs = {
    ...graphs,
    async get(key, make, options) {
      const graph = await graphs.get(key, make, options);
      return key.startsWith("layer-backward") ? { run: () => Promise.reject(new Error("no more")) } : graph;
    },
  };
  const run = runPlan(given, { engine, graphs: failing }, { plan: "layered", chunked: false });
  await expect(run).rejects.toThrow("no more");
  expect(engine.liveBuffers().count).toBe(0);
  await graphs.dispose();
});

describe.each(ARCHITECTURES)("rollouts of a tiny %s with tables in chunks", (architecture) => {
  it.each(ENGINES)("are those with tables in one piece, on %s", async (_, engineOf) => {
    const engine = engineOf();
    const { config, weights, groups, adapter } = updateCase(architecture);
    const model = { config, weights, endTokenIds: TINY_END };
    const rollouts = [undefined, 600].map(async (largestTableBytes) => {
      const tables = largestTableBytes === undefined ? {} : { largestTableBytes };
      const policy = createModelPolicy({ engine, model, lora: TINY_LORA, maxPositions: 48, ...tables });
      const completions = await policy.rollout({
        prompts: groups.map((group) => group.prompt),
        ...{ groupSize: 4, maxTokens: 12, temperature: 1, topK: 0, topP: 1, adapter },
        uniform: createRng(8).next,
      });
      await policy.dispose();
      return completions.flat();
    });
    const [whole, chunked] = await Promise.all(rollouts);
    expect(chunked?.map((row) => [...row.tokens])).toEqual(whole?.map((row) => [...row.tokens]));
    const logProbs = (rows: typeof whole): number[] => rows?.flatMap((row) => [...row.logProbs]) ?? [];
    expect(relativeError(logProbs(chunked), logProbs(whole))).toBeLessThan(3e-6);
  });
});

describe("three training steps of the bundled model", () => {
  const grpo = grpoConfigSchema.parse({ beta: 0.04 });

  async function train(policy: Policy, groups: readonly TrainingGroup[]) {
    let adapter = policy.initialAdapter(createRng(3).next);
    let optimizer: Parameters<Policy["optimize"]>[2] = freshOptimizer(adapter.length);
    const [losses, norms, logProbs]: [number[], number[], number[]] = [[], [], []];
    for (let step = 0; step < 3; step++) {
      const { loss, gradient, logProbs: rows } = await policy.gradient(groups, adapter, grpo);
      const next = await policy.optimize(adapter, gradient, optimizer, {
        ...{ learningRate: 1e-3, beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 },
      });
      losses.push(loss);
      norms.push(next.gradNorm);
      logProbs.push(...rows.flat().flatMap((row) => [...row]));
      ({ adapter, state: optimizer } = next);
    }
    await policy.dispose();
    return { losses, norms, logProbs, adapter };
  }

  it("end at the same losses, norms, log-probabilities and adapter by both plans on each engine", async () => {
    const folder = defined(bundledModelFolders("model.safetensors")[0], "the bundled model");
    const model = await loadModel(createFolderSource(folder));
    const rng = createRng(4, "three steps");
    const tokens = (n: number): Int32Array =>
      Int32Array.from({ length: n }, () => rng.below(model.config.vocabSize));
    const logProbs = (n: number): Float32Array => new Float32Array(n).fill(-Math.log(model.config.vocabSize));
    const groups = [9, 6].map((length) => ({
      prompt: tokens(length),
      completions: [7, 3, 12].map((n) => ({
        ...{ tokens: tokens(n), advantage: rng.normal() },
        ...{ oldLogProbs: logProbs(n), refLogProbs: logProbs(n) },
      })),
    }));
    const runs = ENGINES.map(([, engineOf]) =>
      Promise.all(
        PLAN_NAMES.map((plan) => {
          const policy = createModelPolicy({
            ...{ engine: engineOf(), model, lora: grpo.lora, maxPositions: 48, plan },
          });
          return train(policy, groups);
        }),
      ),
    );
    const byEngine = await Promise.all(runs);
    const [first] = defined(byEngine[0], "an engine");
    for (const [whole, layered] of byEngine) {
      const expected = defined(whole, "whole");
      for (const part of ["losses", "norms", "logProbs", "adapter"] as const) {
        expect(relativeError(defined(layered, "layered")[part], expected[part])).toBeLessThan(1e-4);
      }
      // between engines AdamW's first steps turn the rounding of gradients near 0 into whole steps of the adapter
      for (const part of ["losses", "norms", "logProbs"] as const) {
        expect(relativeError(expected[part], defined(first, "first")[part])).toBeLessThan(1e-4);
      }
    }
  });
});
