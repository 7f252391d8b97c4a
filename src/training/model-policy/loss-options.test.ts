/** Ratios by sequence, delta and masked completions on a tiny model: by every plan and in micro-batches the same update. */
import { afterAll, describe, expect, it } from "vitest";
import { grpoConfigSchema } from "../../domain/grpo/config.ts";
import { relativeError } from "../../testing/grpo-step.ts";
import { NODE_ENGINES } from "../../testing/node-engines.ts";
import { TINY_END, TINY_LORA } from "../../testing/tiny-model.ts";
import { updateCase } from "../../testing/update-plans.ts";
import type { GradientResult, LossConfig, TrainingGroup } from "../policy.ts";
import type { Engine } from "../../engine/runtime/engine.ts";
import { createModelPolicy } from "./create.ts";
import { PLAN_NAMES, type PlanName } from "./plan-choice.ts";

const engines = await Promise.all(NODE_ENGINES.map(async ([name, open]) => [name, await open()] as const));
afterAll(() => Promise.all(engines.map(([, engine]) => engine.dispose())));

const { config, weights, adapter, groups } = updateCase("qwen3");
const MASKED: readonly TrainingGroup[] = groups.map(({ prompt, completions }) => ({
  prompt,
  completions: completions.map((row, i) => ({ ...row, inLoss: i !== 1 })),
}));
const LOSS = grpoConfigSchema.parse({
  importance_sampling_level: "sequence",
  delta: 1.1,
  beta: 0.05,
  max_completion_length: 8,
});

async function gradientBy(
  { engine, plan }: { readonly engine: Engine; readonly plan: PlanName },
  given: readonly TrainingGroup[],
  loss: LossConfig,
): Promise<GradientResult> {
  const model = { config, weights, endTokenIds: TINY_END };
  const policy = createModelPolicy({
    engine,
    model,
    lora: TINY_LORA,
    maxPositions: config.maxPositions,
    plan,
  });
  const result = await policy.gradient(given, adapter, loss);
  await policy.dispose();
  return result;
}

function expectSame(got: GradientResult, wanted: GradientResult): void {
  expect(relativeError(got.gradient, wanted.gradient)).toBeLessThan(1e-5);
  expect(relativeError([got.loss], [wanted.loss])).toBeLessThan(1e-5);
}

const ways = engines.flatMap(([kind, engine]) =>
  PLAN_NAMES.map((plan) => [plan, kind, { engine, plan }] as const),
);

describe.each(ways)("the %s plan on %s", (_plan, _kind, way) => {
  it.each(["grpo", "bnpo", "dapo", "dr_grpo"] as const)(
    "sums micro-batches to the same update: %s",
    async (type) => {
      const loss = { ...LOSS, loss_type: type };
      const whole = await gradientBy(way, MASKED, loss);
      expectSame(await gradientBy(way, MASKED, { ...loss, micro_batch_size: 2 }), whole);
      expectSame(whole, await gradientBy({ ...way, plan: "whole" }, MASKED, loss));
    },
  );

  it("takes nothing from a masked completion, and each option changes the update", async () => {
    const wanted = await gradientBy(way, MASKED, LOSS);
    const other = MASKED.map(({ prompt, completions }) => ({
      prompt,
      completions: completions.map((row) =>
        row.inLoss === false
          ? { ...row, advantage: 7, tokens: row.tokens.map((id) => (id + 1) % config.vocabSize) }
          : row,
      ),
    }));
    expectSame(await gradientBy(way, other, LOSS), wanted);
    const changed = [
      await gradientBy(way, groups, LOSS),
      await gradientBy(way, MASKED, { ...LOSS, delta: null }),
      await gradientBy(way, MASKED, { ...LOSS, importance_sampling_level: "token" }),
    ];
    for (const { gradient } of changed)
      expect(relativeError(gradient, wanted.gradient)).toBeGreaterThan(1e-3);
  });
});
