/**
 * The log-probabilities that come with sampled tokens are those that the update's forward gives to the same tokens: two
 * graphs, one cached and one packed, written once and run on each kind of engine.
 */
import { expect, test } from "vitest";
import { createRng } from "../base/rng.ts";
import { grpoConfigSchema, loraConfigSchema } from "../domain/grpo/config.ts";
import { scenarios } from "../domain/scenarios/registry.ts";
import type { Architecture } from "../engine/nn/model-config.ts";
import type { Engine } from "../engine/runtime/engine.ts";
import { createTextCodec } from "../engine/text/tokenizer.ts";
import type { BlockBits } from "../engine/graph/block-tensor.ts";
import { loadModel } from "../engine/weights/load-model.ts";
import type { ModelSource } from "../engine/weights/model-source.ts";
import { createModelPolicy } from "../training/model-policy/create.ts";
import type { Completion, Policy, RolloutRequest } from "../training/policy.ts";
import { inBlocks } from "./block-weights.ts";
import { randomAdapter, randomWeights, TINY_LORA, tinyConfig } from "./tiny-model.ts";

const CLOSE = 1e-4;

type Sampling = Omit<RolloutRequest, "uniform">;

/** Samples, scores and differentiates the same completions; expects one set of log-probabilities. */
async function expectOneSetOfLogProbs(policy: Policy, request: Sampling): Promise<readonly Completion[]> {
  const { prompts, adapter, temperature, maxTokens } = request;
  const sampled = await policy.rollout({ ...request, uniform: createRng(21, "rollout").next });
  const scored = await policy.logProbs(withPrompts(sampled, prompts), adapter, temperature);
  const groups = sampled.map((group, p) => ({
    prompt: prompts[p] ?? new Int32Array(),
    completions: group.map(({ tokens, logProbs }, g) => ({
      tokens,
      advantage: g % 2 === 0 ? 1 : -1,
      oldLogProbs: logProbs,
      refLogProbs: null,
    })),
  }));
  const loss = grpoConfigSchema.parse({ temperature, max_completion_length: maxTokens });
  const updated = await policy.gradient(groups, adapter ?? new Float32Array(policy.adapterSize), loss);
  const rows = sampled.flat();
  expect(worst(rows, scored)).toBeLessThan(CLOSE);
  expect(worst(rows, updated.logProbs)).toBeLessThan(CLOSE);
  expect(updated.clipRatio.region).toBe(0); // on the policy that sampled, no ratio leaves 1
  return rows;
}

/** The same tokens under another adapter are told apart: the comparison can fail. */
async function expectAdapterToCount(
  policy: Policy,
  request: Sampling,
  rows: readonly Completion[],
): Promise<void> {
  const groups = request.prompts.map((prompt, p) => ({
    prompt,
    completions: rows.slice(p * request.groupSize, (p + 1) * request.groupSize).map(({ tokens }) => tokens),
  }));
  const base = await policy.logProbs(groups, null, request.temperature);
  expect(worst(rows, base)).toBeGreaterThan(100 * CLOSE);
}

function withPrompts(sampled: readonly (readonly Completion[])[], prompts: readonly Int32Array[]) {
  return sampled.map((group, p) => ({
    prompt: prompts[p] ?? new Int32Array(),
    completions: group.map(({ tokens }) => tokens),
  }));
}

function worst(rows: readonly Completion[], other: readonly (readonly Float32Array[])[]): number {
  const flat = other.flat();
  expect(flat.map((row) => row.length)).toEqual(rows.map((row) => row.tokens.length));
  return rows.reduce(
    (most, row, i) =>
      row.logProbs.reduce((max, value, t) => Math.max(max, Math.abs(value - (flat[i]?.[t] ?? NaN))), most),
    0,
  );
}

/** Registers the tests of one architecture on random weights, plain (null) or in blocks. */
export function testRolloutLogProbs(
  architecture: Architecture,
  open: () => Promise<Engine>,
  bits: BlockBits | null = null,
): void {
  const config = tinyConfig(architecture, 40);
  const weights = inBlocks(randomWeights(config), bits);
  const rng = createRng(22, "prompts");
  const prompts = [3, 11, 6].map((n) => Int32Array.from({ length: n }, () => rng.below(40)));
  const withEnds = (
    name: string,
    endTokenIds: readonly number[],
    sampling: Pick<Sampling, "temperature" | "topK" | "topP">,
    check: (rows: readonly Completion[]) => void,
  ): void => {
    test(`${architecture}: ${name}`, async () => {
      const engine = await open();
      const model = { config, weights, endTokenIds };
      const policy = createModelPolicy({ engine, model, lora: TINY_LORA, maxPositions: 48 });
      const adapter = randomAdapter(policy.adapterSize);
      const request = { ...sampling, prompts, groupSize: 6, maxTokens: 30, adapter };
      const rows = await expectOneSetOfLogProbs(policy, request);
      for (const { tokens, ended } of rows) {
        const end = tokens.findIndex((token) => endTokenIds.includes(token));
        expect(ended).toBe(end >= 0);
        expect(tokens.length).toBe(end >= 0 ? end + 1 : 30);
      }
      check(rows);
      await expectAdapterToCount(policy, request, rows);
      await engine.dispose();
    });
  };

  withEnds(
    "rows end each at its own place, some not at all",
    [0, 5],
    { temperature: 1.3, topK: 0, topP: 1 },
    (rows) => {
      expect(new Set(rows.map((row) => row.tokens.length)).size).toBeGreaterThan(4);
      expect(rows.some((row) => !row.ended)).toBe(true); // over two chunks of decoding
      expect(rows.some((row) => row.ended && row.tokens.length < 24)).toBe(true);
    },
  );

  const most = Array.from({ length: 20 }, (_, i) => 2 * i);
  // what is sampled depends on the weights: rounded ones happen to go on
  if (bits === null)
    withEnds("every row ends early", most, { temperature: 1.2, topK: 0, topP: 1 }, (rows) => {
      expect(rows.every((row) => row.ended)).toBe(true);
      expect(new Set(rows.map((row) => row.tokens.length)).size).toBeGreaterThan(2);
    });

  withEnds(
    "top-k and top-p leave the log-probabilities whole",
    [0],
    { temperature: 1, topK: 8, topP: 0.8 },
    (rows) => {
      expect(rows.length).toBe(18);
    },
  );
}

/** Registers the test of the bundled model on prompts of both its scenarios. */
export function testBundledRolloutLogProbs(source: ModelSource, open: () => Promise<Engine>): void {
  test("the bundled model", async () => {
    const model = await loadModel(source);
    const codec = await createTextCodec(model.tokenizerFiles, model.endTokenIds);
    const engine = await open();
    const policy = createModelPolicy({ engine, model, lora: loraConfigSchema.parse({}), maxPositions: 192 });
    const prompts = [scenarios["customer-reply"], scenarios["health-note"]].flatMap((scenario) =>
      scenario.heldOutPrompts.slice(0, 2).map((prompt) => codec.encodePrompt(prompt.messages)),
    );
    expect(new Set(prompts.map((prompt) => prompt.length)).size).toBeGreaterThan(1);
    const rng = createRng(23, "adapter");
    const adapter = Float32Array.from({ length: policy.adapterSize }, () => 0.02 * rng.normal());
    const request = { prompts, groupSize: 8, maxTokens: 72, temperature: 1, topK: 0, topP: 1, adapter };
    const rows = await expectOneSetOfLogProbs(policy, request);
    expect(new Set(rows.map(({ tokens }) => tokens.length)).size).toBeGreaterThan(8);
    await expectAdapterToCount(policy, request, rows);
    await engine.dispose();
  });
}
