/** The policy's numbers against PyTorch, transformers, PEFT and TRL on tiny random models (fixtures of real runs). */
import { afterAll, describe, expect, it } from "vitest";
import { createRng } from "../../base/rng.ts";
import { initialLora, loraLayout } from "../../engine/nn/lora.ts";
import {
  FIXTURE_MODELS,
  readAdamwFixtures,
  readModelFixture,
  type FixtureModel,
} from "../../testing/model-fixtures.ts";
import { NODE_ENGINES } from "../../testing/node-engines.ts";
import { prefillLogits, worstDifference } from "../../testing/prefill-logits.ts";
import type { Engine } from "../../engine/runtime/engine.ts";
import { createModelPolicy } from "./create.ts";
import type { PlanName } from "./plan-choice.ts";

const engines = await Promise.all(NODE_ENGINES.map(async ([name, open]) => [name, await open()] as const));
afterAll(() => Promise.all(engines.map(([, engine]) => engine.dispose())));

const END = [0];
function policyOf(engine: Engine, name: FixtureModel, plan: PlanName = "whole") {
  const fixture = readModelFixture(name);
  const model = { config: fixture.config, weights: fixture.weights, endTokenIds: END };
  // the layered plan also with its tables in chunks
  const tables = plan === "layered" ? { largestTableBytes: 4096 } : {};
  const policy = createModelPolicy({ engine, model, lora: fixture.lora, maxPositions: 48, plan, ...tables });
  return { fixture, policy };
}

/** Largest difference relative to the largest expected magnitude. */
function relative(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  expect(actual.length).toBe(expected.length);
  let largest = 0;
  let worst = 0;
  for (let i = 0; i < expected.length; i++) {
    largest = Math.max(largest, Math.abs(expected[i] ?? NaN));
    worst = Math.max(worst, Math.abs((actual[i] ?? NaN) - (expected[i] ?? NaN)));
  }
  return worst / largest;
}

const subjects = engines.flatMap(([kind, engine]) =>
  FIXTURE_MODELS.map((name) => [name, kind, engine] as const),
);

describe.each(subjects)("%s on %s", (name, _kind, engine) => {
  const { fixture, policy } = policyOf(engine, name);
  const layered = policyOf(engine, name, "layered").policy;
  afterAll(() => policy.dispose());
  afterAll(() => layered.dispose());

  it.each(["base", "adapter"] as const)(
    "gives transformers' logits at every position (%s)",
    async (which) => {
      const layout = loraLayout(fixture.config, fixture.lora);
      const adapter = which === "base" ? initialLora(layout, createRng(1).next) : fixture.adapter;
      const expected = (which === "base" ? fixture.logits : fixture.loraLogits).data as Float32Array;
      const request = { adapter, inputIds: fixture.inputIds };
      const logits = await prefillLogits(engine, fixture, layout, request);
      expect(worstDifference(logits, expected)).toBeLessThan(1e-4);
    },
  );

  it.each(
    fixture.cases.flatMap((c) => [
      ["whole", c.name, c, policy] as const,
      ["layered", c.name, c, layered] as const,
    ]),
  )("gives TRL's loss and PEFT's gradient by the %s plan: %s", async (_, _name, c, byPlan) => {
    const settings = { ...c.settings, micro_batch_size: null };
    const result = await byPlan.gradient(fixture.groups, fixture.adapter, settings);
    expect(relative([result.loss], [c.loss])).toBeLessThan(1e-4);
    expect(relative(result.gradient, c.gradient)).toBeLessThan(1e-3);
    expect(result.entropy).toBeCloseTo(c.entropy, 4);
    if (c.kl === null) expect(result.kl).toBeNull();
    else expect(result.kl).toBeCloseTo(c.kl, 5);
    expect(result.clipRatio.low).toBeCloseTo(c.clipRatio.low, 6);
    expect(result.clipRatio.high).toBeCloseTo(c.clipRatio.high, 6);
    expect(result.clipRatio.region).toBeCloseTo(c.clipRatio.region, 6);
    result.logProbs.forEach((group, p) => {
      group.forEach((row, g) => {
        expect(relative(row, c.logProbs[p]?.[g] ?? [])).toBeLessThan(1e-4);
      });
    });
  });

  it("sums micro-batches to the same gradient", async () => {
    const c = fixture.cases[0];
    if (!c) throw new Error("the fixture has no case");
    const result = await policy.gradient(fixture.groups, fixture.adapter, {
      ...c.settings,
      micro_batch_size: 2,
    });
    expect(relative(result.gradient, c.gradient)).toBeLessThan(1e-3);
    expect(relative([result.loss], [c.loss])).toBeLessThan(1e-4);
  });

  it("samples with the log-probabilities that scoring gives, and repeats from the seed", async () => {
    const request = {
      prompts: fixture.groups.map((group) => group.prompt),
      groupSize: 4,
      maxTokens: 30,
      temperature: 0.8,
      topK: 0,
      topP: 1,
      adapter: fixture.adapter,
    };
    const first = await policy.rollout({ ...request, uniform: createRng(7).next });
    const again = await policy.rollout({ ...request, uniform: createRng(7).next });
    expect(again).toEqual(first);
    const groups = first.map((group, p) => ({
      prompt: request.prompts[p] ?? new Int32Array(),
      completions: group.map((completion) => completion.tokens),
    }));
    const scored = await policy.logProbs(groups, fixture.adapter, 0.8);
    first.forEach((group, p) => {
      group.forEach((completion, g) => {
        const expected = scored[p]?.[g] ?? new Float32Array();
        expect(completion.tokens.length).toBeGreaterThan(0);
        expect(completion.ended).toBe(END.includes(completion.tokens[completion.tokens.length - 1] ?? -1));
        completion.logProbs.forEach((value, t) => {
          expect(Math.abs(value - (expected[t] ?? NaN))).toBeLessThan(1e-4);
        });
      });
    });
  });
});

describe.each(engines)("AdamW with clipping on %s", (_engine, engine) => {
  const { policy } = policyOf(engine, "qwen3");
  afterAll(() => policy.dispose());

  it.each(readAdamwFixtures().map((fixture, i) => [i, fixture] as const))(
    "follows torch over five steps (%i)",
    async (_, fixture) => {
      let adapter: Float32Array = Float32Array.from(fixture.initial);
      let state = { m: new Float32Array(adapter.length), v: new Float32Array(adapter.length), step: 0 };
      for (const [i, gradient] of fixture.gradients.entries()) {
        const result = await policy.optimize(adapter, Float32Array.from(gradient), state, fixture.settings);
        ({ adapter } = result);
        state = result.state as typeof state;
        const expected = fixture.steps[i];
        expect(relative([result.gradNorm], [expected?.gradNorm ?? NaN])).toBeLessThan(1e-6);
        expect(relative(adapter, expected?.params ?? [])).toBeLessThan(1e-6);
        expect(relative(state.m, expected?.m ?? [])).toBeLessThan(1e-6);
        expect(relative(state.v, expected?.v ?? [])).toBeLessThan(1e-6);
      }
    },
  );
});
