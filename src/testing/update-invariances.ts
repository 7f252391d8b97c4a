/** What must not change an update's numbers, written once and run on each kind of engine. */
import { expect, test } from "vitest";
import { createRng } from "../base/rng.ts";
import { loraLayout } from "../engine/nn/lora.ts";
import type { Engine } from "../engine/runtime/engine.ts";
import { int32 } from "../engine/graph/tensor.ts";
import { compiledGraphs } from "../training/model-policy/compiled-graphs.ts";
import { createModelPolicy } from "../training/model-policy/create.ts";
import { lossInputs } from "../training/model-policy/loss-inputs.ts";
import { packUpdate, type PackRounding } from "../training/model-policy/pack-update.ts";
import { wholePlan } from "../training/model-policy/whole-plan.ts";
import type { GradientResult, LossConfig, Policy, TrainingGroup } from "../training/policy.ts";
import { grpoConfigSchema } from "../domain/grpo/config.ts";
import type { Architecture } from "../engine/nn/model-config.ts";
import { relativeError } from "./grpo-step.ts";
import { randomAdapter, randomWeights, TINY_END, TINY_LORA, tinyConfig } from "./tiny-model.ts";

const CLOSE = 1e-6;
const MAX_POSITIONS = 32;
/** Every term of the loss is there, and each completion counts by its own length. */
const LOSS: LossConfig = grpoConfigSchema.parse({
  loss_type: "grpo",
  beta: 0.05,
  epsilon_high: 0.3,
  temperature: 0.9,
  max_completion_length: 12,
});

/** Prompts of different lengths; completions from one token to many. */
function givenGroups(vocabSize: number): TrainingGroup[] {
  const rng = createRng(5, "invariances");
  const tokens = (n: number): Int32Array => Int32Array.from({ length: n }, () => rng.below(vocabSize));
  const logProbs = (n: number): Float32Array =>
    Float32Array.from({ length: n }, () => -3.5 + rng.normal() / 4);
  return [
    { promptLength: 7, lengths: [1, 9, 4, 6] },
    { promptLength: 2, lengths: [3, 12, 2, 5] },
    { promptLength: 5, lengths: [8, 1, 1, 7] },
  ].map(({ promptLength, lengths }) => ({
    prompt: tokens(promptLength),
    completions: lengths.map((n) => ({
      tokens: tokens(n),
      advantage: rng.normal(),
      oldLogProbs: logProbs(n),
      refLogProbs: logProbs(n),
    })),
  }));
}

const reversed = <T>(list: readonly T[]): T[] => [...list].reverse();

/** Groups and completions the other way round. */
function backwards<T extends { readonly completions: readonly unknown[] }>(groups: readonly T[]): T[] {
  return reversed(groups).map((group) => ({ ...group, completions: reversed(group.completions) }));
}

const lengthOf = (x: Float32Array): number => Math.sqrt(x.reduce((sum, value) => sum + value * value, 0));

type Numbers = Pick<GradientResult, "loss" | "gradient" | "logProbs">;

function expectSame(actual: Numbers, expected: Numbers): void {
  expect(relativeError([actual.loss], [expected.loss])).toBeLessThan(CLOSE);
  const off = actual.gradient.map((value, i) => value - (expected.gradient[i] ?? NaN));
  expect(lengthOf(off) / lengthOf(expected.gradient)).toBeLessThan(CLOSE);
  const flat = ({ logProbs }: Numbers): number[] => logProbs.flat().flatMap((row) => [...row]);
  expect(relativeError(flat(actual), flat(expected))).toBeLessThan(CLOSE);
}

/** Registers the tests of one architecture; `open` is asked once a test. */
export function testUpdateInvariances(architecture: Architecture, open: () => Promise<Engine>): void {
  const config = tinyConfig(architecture, 40);
  const weights = randomWeights(config);
  const layout = loraLayout(config, TINY_LORA);
  const adapter = randomAdapter(layout.size);
  const groups = givenGroups(config.vocabSize);
  const withPolicy = (name: string, body: (policy: Policy) => Promise<void>): void => {
    test(`${architecture}: ${name}`, async () => {
      const engine = await open();
      const model = { config, weights, endTokenIds: TINY_END };
      await body(createModelPolicy({ engine, model, lora: TINY_LORA, maxPositions: MAX_POSITIONS }));
      await engine.dispose();
    });
  };

  test(`${architecture}: padding changes nothing, however much there is and whatever it holds`, async () => {
    const engine = await open();
    const plan = wholePlan(compiledGraphs(engine, weights), {
      config,
      lora: layout,
      maxPositions: MAX_POSITIONS,
    });
    const rows = groups.flatMap((group) => group.completions);
    const tokenWeights = new Map(rows.map((row) => [row, 1 / (row.tokens.length * rows.length)]));
    const tokenGroups = groups.map((group) => ({
      prompt: group.prompt,
      completions: group.completions.map((row) => row.tokens),
    }));
    const run = async (rounding: PackRounding | undefined, fill: number): Promise<Numbers> => {
      const packed = packUpdate(tokenGroups, rounding);
      const ids = packed.feeds["ids"]?.data as Int32Array;
      const filled = ids.map((id, row) => (isPadding(packed, tokenGroups, row) ? fill : id));
      const batch = { ...packed, feeds: { ...packed.feeds, ids: int32([ids.length], filled) } };
      const loss = lossInputs(packed, groups, LOSS, tokenWeights);
      const out = await plan.gradient({ packed: batch, adapter, temperature: LOSS.temperature }, loss);
      return { ...out, logProbs: packed.unpack(out.logProbs) };
    };
    const usual = await run({ promptSlots: 16, completionSlots: 24, completionRows: 128 }, 0);
    expectSame(await run({ promptSlots: 16, completionSlots: 24, completionRows: 128 }, 7), usual);
    expectSame(await run({ promptSlots: 20, completionSlots: 28, completionRows: 176 }, 7), usual);
    await engine.dispose();
  });

  withPolicy("the order of prompts and completions changes nothing", async (policy) => {
    const forward = await policy.gradient(groups, adapter, LOSS);
    const { logProbs, ...rest } = await policy.gradient(backwards(groups), adapter, LOSS);
    expectSame({ ...rest, logProbs: reversed(logProbs).map((group) => reversed(group)) }, forward);
    const metrics = ({ kl, entropy, clipRatio }: typeof rest): number[] =>
      [kl, entropy, clipRatio.region].map((value) => value ?? NaN);
    expect(relativeError(metrics(rest), metrics(forward))).toBeLessThan(CLOSE);
  });

  withPolicy("the size of micro-batches changes nothing", async (policy) => {
    const whole = await policy.gradient(groups, adapter, LOSS);
    for (const micro_batch_size of [1, 3, 4]) {
      expectSame(await policy.gradient(groups, adapter, { ...LOSS, micro_batch_size }), whole);
    }
  });

  withPolicy("prompts of different lengths together are each of them alone", async (policy) => {
    const together = await policy.gradient(groups, adapter, LOSS);
    const gradient = new Float64Array(layout.size);
    const alone: Numbers[] = [];
    for (const group of groups) {
      const one = await policy.gradient([group], adapter, LOSS);
      one.gradient.forEach((value, i) => (gradient[i] = (gradient[i] ?? 0) + value / groups.length));
      alone.push(one);
    }
    const loss = alone.reduce((sum, one) => sum + one.loss, 0) / groups.length;
    const logProbs = alone.flatMap((one) => one.logProbs);
    expectSame({ loss, gradient: Float32Array.from(gradient), logProbs }, together);
    const tokens = groups.map(({ prompt, completions }) => ({
      prompt,
      completions: completions.map((row) => row.tokens),
    }));
    const scored = await policy.logProbs(tokens, adapter, LOSS.temperature);
    expectSame({ ...together, logProbs: scored }, together);
  });

  withPolicy("prompts sampled together are each of them sampled alone", async (policy) => {
    const request = { groupSize: 5, maxTokens: 12, temperature: 1.1, topK: 0, topP: 1, adapter };
    const prompts = groups.map((group) => group.prompt);
    const together = await policy.rollout({ ...request, prompts, uniform: createRng(2).next });
    const uniform = createRng(2).next;
    const alone = [];
    for (const prompt of prompts)
      alone.push(...(await policy.rollout({ ...request, prompts: [prompt], uniform })));
    expect(together).toEqual(alone);
    expect(new Set(together.flat().map(({ tokens }) => tokens.join())).size).toBeGreaterThan(10);
  });
}

/** True where a row of the packed ids holds no token of a prompt or completion. */
function isPadding(
  { shape }: ReturnType<typeof packUpdate>,
  groups: readonly { readonly prompt: Int32Array; readonly completions: readonly Int32Array[] }[],
  row: number,
): boolean {
  const { completionRows: Nc, promptSlots: Tp } = shape;
  if (row < Nc)
    return row >= groups.flatMap((group) => group.completions).reduce((n, { length }) => n + length - 1, 0);
  return (row - Nc) % Tp >= (groups[Math.floor((row - Nc) / Tp)]?.prompt.length ?? 0);
}
