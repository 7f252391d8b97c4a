/**
 * One GRPO step at the true widths of Qwen2.5-0.5B and Qwen3-0.6B, of two layers and a part of the vocabulary, from a server that
 * answers like the hub, in 8 bits: the same on our kernels and on onnxruntime. True depths are in e2e/true-shapes.slow.test.ts.
 */
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { defineCheck } from "../domain/rubric/checks/check.ts";
import type { Engine } from "../engine/runtime/engine.ts";
import { createHubSource } from "../engine/weights/hub-source.ts";
import { loadModel, type LoadedModel } from "../engine/weights/load-model.ts";
import { createTextCodec } from "../engine/text/tokenizer.ts";
import { fakeSpec } from "../testing/fake-run.ts";
import { type LocalHub, startLocalHub } from "../testing/local-hub.ts";
import { NODE_ENGINES } from "../testing/node-engines.ts";
import { createModelPolicy } from "./model-policy/create.ts";
import { createRunRecord } from "./run-record.ts";
import { Trainer } from "./trainer.ts";

/** Large enough for a table in blocks to be cut. */
const CUT = { layers: 2, vocabSize: 10_240 };
const TOKENS = 16;

/** What a random model's answers differ in. */
const checks = {
  odd: defineCheck({
    title: "odd",
    help: "Passes when the answer has an odd number of characters.",
    args: z.strictObject({}),
    judge: ({ text }) => ({ verdict: text.length % 2 === 1 ? 1 : 0, reason: "counted", spans: [] }),
  }),
};
const SPEC = fakeSpec(
  {
    arms: [{ id: "static", rule: "static-scalar" }],
    rubric: {
      title: "Odd",
      criteria: [{ id: "odd", text: "is odd", category: "form", weight: 1, check: { type: "odd" } }],
    },
    evaluationSamples: 1,
    judgeNoise: 0,
    seed: 2, // under which one of the two answers is odd
  },
  { num_generations: 2, max_completion_length: TOKENS, max_steps: 1 },
);

let hub: LocalHub | null = null;
afterAll(() => hub?.close());

test.each(["qwen2.5-0.5b", "qwen3-0.6b"] as const)("a step of %s", async (shape) => {
  await hub?.close();
  hub = await startLocalHub({ shape, cut: CUT, shards: 2 });
  const repo = { repo: "test/tiny", revision: "main", endpoint: hub.url, token: null, file: null };
  const model = await loadModel(createHubSource(repo), undefined, undefined, "q8");
  const [theirs, ours] = await Promise.all(NODE_ENGINES.map(([, open]) => stepOn(open, model)));
  expect(ours).toMatchObject({ tokens: [TOKENS, TOKENS] });
  expect(theirs?.texts).toEqual(ours?.texts);
  expect(ours?.gradNorm).toBeGreaterThan(0);
  expect(Math.abs((theirs?.gradNorm ?? NaN) / (ours?.gradNorm ?? NaN) - 1)).toBeLessThan(1e-3);
});

/** One step, without evaluations. */
async function stepOn(open: () => Promise<Engine>, model: LoadedModel) {
  const engine = await open();
  const codec = await createTextCodec(model.tokenizerFiles, model.endTokenIds);
  const policy = createModelPolicy({ engine, model, lora: SPEC.grpo.lora, maxPositions: 64 });
  const deps = { policy, codec, checks, now: () => 0 };
  const trainer = new Trainer(deps, createRunRecord("true widths", SPEC, policy));
  const { rows, groups } = await trainer.step();
  await engine.dispose();
  const [row] = rows.flatMap((each) => (each.kind === "step" ? [each] : []));
  const rollouts = groups.flatMap((group) => group.rollouts);
  return {
    texts: rollouts.map(({ text }) => text),
    tokens: rollouts.map(({ tokens }) => tokens.length),
    gradNorm: row?.metrics["grad_norm"],
  };
}
