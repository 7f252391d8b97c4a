/** A small run on the fake policy: two prompts, a rubric whose checks the bag of phrases can learn to pass. */
import { z } from "zod";
import { defineCheck } from "../domain/rubric/checks/check.ts";
import type { RunSpec } from "../domain/run/spec.ts";
import { runSpecSchema } from "../domain/run/spec.ts";
import type { TrainingDeps } from "../training/deps.ts";
import { createFakePolicy, fakeCodec, type FakePolicyOptions } from "./fake-policy.ts";

const says = defineCheck({
  title: "says",
  help: "Passes when the answer holds the word.",
  args: z.strictObject({ word: z.string() }),
  judge: (answer, { word }) => ({
    verdict: answer.text.split(" ").includes(word) ? 1 : 0,
    reason: `looked for "${word}"`,
    spans: [],
  }),
});

const ends = defineCheck({
  title: "ends",
  help: "Passes when the model ended the answer itself.",
  args: z.strictObject({}),
  judge: (answer) => ({ verdict: answer.ended ? 1 : 0, reason: "looked at the end", spans: [] }),
});

const breaks = defineCheck({
  title: "breaks",
  help: "A check with a defect.",
  args: z.strictObject({}),
  judge: () => {
    throw new Error("this check is broken");
  },
});

export const fakeChecks = { says, ends, breaks };

export function fakeDeps(options: FakePolicyOptions = {}): TrainingDeps {
  return { policy: createFakePolicy(options), codec: fakeCodec, checks: fakeChecks, now: () => 0 };
}

function saysCriterion(word: string, category: string, weight: number): object {
  return { id: word, text: `says ${word}`, category, weight, check: { type: "says", args: { word } } };
}

const prompts = (from: string, count: number): object[] =>
  Array.from({ length: count }, (_, i) => ({
    id: `${from}-${i}`,
    messages: [{ role: "user", content: `please refund ${i}` }],
  }));

/** `override` replaces whole fields of the specification, `grpo` single settings. */
export function fakeSpec(override: object = {}, grpo: object = {}): RunSpec {
  return runSpecSchema.parse({
    scenarioId: "fake",
    seed: 7,
    arms: [
      { id: "pow3r", rule: "pow3r", pow3r: { alpha_update: "step" } },
      { id: "static", rule: "static-scalar" },
    ],
    rubric: {
      title: "Fake",
      criteria: [
        saysCriterion("refund", "content", 2),
        saysCriterion("soon", "content", 1),
        saysCriterion("sorry", "tone", 1),
        { id: "ends", text: "ends", category: "tone", weight: 1, check: { type: "ends" } },
        { id: "kind", text: "sounds kind", category: "tone", weight: 1 },
      ],
    },
    trainPrompts: prompts("train", 3),
    heldOutPrompts: prompts("held-out", 4),
    grpo: {
      num_generations: 8,
      prompts_per_step: 1,
      max_completion_length: 8,
      learning_rate: 0.1,
      max_steps: 12,
      ...grpo,
    },
    judgeNoise: 0.03,
    evaluateEvery: 5,
    evaluationSamples: 32,
    ...override,
  });
}
