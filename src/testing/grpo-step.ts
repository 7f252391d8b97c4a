/** A fixture's GRPO step through the trainer's own update on some engine, held against PyTorch's numbers. */
import { expect } from "vitest";
import { type UpdateRequest, freshOptimizer, updateAdapter } from "../training/update.ts";
import type { GradientResult, OptimizerResult, Policy } from "../training/policy.ts";
import type { StepFixture } from "./step-fixtures.ts";

/** Largest difference relative to the largest expected magnitude. */
export function relativeError(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  expect(actual.length).toBe(expected.length);
  const largest = Array.from(expected).reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return Array.from(expected).reduce(
    (worst, value, i) => Math.max(worst, Math.abs((actual[i] ?? NaN) - value) / largest),
    0,
  );
}

/** A policy that keeps what it answered. */
function recording(policy: Policy) {
  const gradients: GradientResult[] = [];
  const updates: OptimizerResult[] = [];
  const recorder: Policy = {
    ...policy,
    async gradient(...request) {
      const result = await policy.gradient(...request);
      gradients.push(result);
      return result;
    },
    async optimize(...request) {
      const result = await policy.optimize(...request);
      updates.push(result);
      return result;
    },
  };
  return { recorder, gradients, updates };
}

function requestOf({ grpo, groups, adapter }: StepFixture): UpdateRequest {
  return {
    groups: groups.map(({ prompt, completions }, p) => ({
      prompt: { id: `prompt-${p}`, messages: [], fields: {} },
      promptTokens: Int32Array.from(prompt),
      completions: completions.map(({ tokens, oldLogProbs }) => ({
        tokens: Int32Array.from(tokens),
        logProbs: Float32Array.from(oldLogProbs),
        ended: tokens.at(-1) === 1,
      })),
      answers: [],
    })),
    advantages: groups.map((group) => group.advantages),
    from: { adapter, optimizer: freshOptimizer(adapter.length) },
    reference: null,
    config: grpo,
    learningRate: grpo.learning_rate,
    where: "the fixture's step",
  };
}

/**
 * Expects every pass of the step to be PyTorch's: gradients to 1e-3 of the largest entry; adapters likewise where the
 * gradient is above 1e-5 of its largest (below, AdamW turns rounding into whole steps).
 */
export async function expectStepInFloat32(policy: Policy, fixture: StepFixture): Promise<void> {
  const { recorder, gradients, updates } = recording(policy);
  const before = fixture.adapter.slice();
  const result = await updateAdapter(recorder, requestOf(fixture));
  expect(gradients).toHaveLength(fixture.passes.length);
  expect(fixture.adapter).toEqual(before);
  let start: ArrayLike<number> = before;
  fixture.passes.forEach((expected, i) => {
    const { gradient, loss, kl, entropy, logProbs } = gradients[i] as GradientResult;
    const { adapter, gradNorm } = updates[i] as OptimizerResult;
    expect(
      relativeError(
        logProbs.flat().flatMap((row) => [...row]),
        expected.logProbs.flat(2),
      ),
    ).toBeLessThan(1e-5);
    expect(
      relativeError([loss, kl ?? NaN, entropy ?? NaN], [expected.loss, expected.kl, expected.entropy]),
    ).toBeLessThan(1e-5);
    expect(relativeError(gradient, expected.gradient)).toBeLessThan(1e-3);
    expect(Math.abs(gradNorm / expected.gradNorm - 1)).toBeLessThan(1e-4);
    expect(moved(adapter, expected, start)).toBeLessThan(1e-3);
    start = expected.adapter;
  });
  expect(result.to.adapter).toEqual(updates.at(-1)?.adapter);
}

/** Largest difference of the adapter's change, relative to the largest change, where the gradient counts. */
function moved(
  adapter: Float32Array,
  expected: StepFixture["passes"][number],
  start: ArrayLike<number>,
): number {
  const largest = expected.gradient.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const counts = Array.from(adapter.keys()).filter(
    (i) => Math.abs(expected.gradient[i] ?? 0) > 1e-5 * largest,
  );
  expect(counts.length).toBeGreaterThan(adapter.length / 2);
  const change = (after: ArrayLike<number>): number[] =>
    counts.map((i) => (after[i] ?? NaN) - (start[i] ?? NaN));
  return relativeError(change(adapter), change(expected.adapter));
}
