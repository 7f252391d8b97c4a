/** Ratios by sequence, delta and masked completions on a tiny model: by every plan and in micro-batches the same update. */
import { afterAll, describe, expect, it } from "vitest";
import { grpoConfigSchema } from "../../domain/grpo/config.ts";
import { openNodeEngine } from "../../engine/runtime/ort-node.ts";
import { relativeError } from "../../testing/grpo-step.ts";
import { TINY_END, TINY_LORA } from "../../testing/tiny-model.ts";
import { updateCase } from "../../testing/update-plans.ts";
import type { GradientResult, LossConfig, TrainingGroup } from "../policy.ts";
import { createModelPolicy } from "./create.ts";
import { PLAN_NAMES, type PlanName } from "./plan-choice.ts";

const engine = openNodeEngine(1);
afterAll(() => engine.dispose());

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
  plan: PlanName,
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

describe.each(PLAN_NAMES)("the %s plan", (plan) => {
  it.each(["grpo", "bnpo", "dapo", "dr_grpo"] as const)(
    "sums micro-batches to the same update: %s",
    async (type) => {
      const loss = { ...LOSS, loss_type: type };
      const whole = await gradientBy(plan, MASKED, loss);
      expectSame(await gradientBy(plan, MASKED, { ...loss, micro_batch_size: 2 }), whole);
      expectSame(whole, await gradientBy("whole", MASKED, loss));
    },
  );

  it("takes nothing from a masked completion, and each option changes the update", async () => {
    const wanted = await gradientBy(plan, MASKED, LOSS);
    const other = MASKED.map(({ prompt, completions }) => ({
      prompt,
      completions: completions.map((row) =>
        row.inLoss === false
          ? { ...row, advantage: 7, tokens: row.tokens.map((id) => (id + 1) % config.vocabSize) }
          : row,
      ),
    }));
    expectSame(await gradientBy(plan, other, LOSS), wanted);
    const changed = [
      await gradientBy(plan, groups, LOSS),
      await gradientBy(plan, MASKED, { ...LOSS, delta: null }),
      await gradientBy(plan, MASKED, { ...LOSS, importance_sampling_level: "token" }),
    ];
    for (const { gradient } of changed)
      expect(relativeError(gradient, wanted.gradient)).toBeGreaterThan(1e-3);
  });
});
