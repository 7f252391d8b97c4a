import { expect, test } from "vitest";
import { createFakePolicy, fakeCodec } from "../testing/fake-policy.ts";
import { fakeSpec } from "../testing/fake-run.ts";
import { answerHeldOut, shareSamples } from "./held-out.ts";
import type { Policy } from "./policy.ts";

const prompts = fakeSpec().heldOutPrompts;

function perPrompt(samples: number): number[] {
  const shares = shareSamples(prompts, samples, 1);
  return prompts.map((prompt) =>
    shares.reduce((sum, share) => sum + (share.prompts.includes(prompt) ? share.each : 0), 0),
  );
}

test.each([1, 3, 4, 7, 16, 33])(
  "spreads %i samples evenly over as many prompts as can have four each",
  (samples) => {
    const counts = perPrompt(samples);
    const used = counts.filter((count) => count > 0);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(samples);
    expect(used).toHaveLength(Math.min(4, Math.ceil(samples / 4)));
    expect(Math.max(...used) - Math.min(...used)).toBeLessThanOrEqual(1);
  },
);

test("answers one prompt in requests no larger than a step, each with its own random numbers, and stops between them", async () => {
  const spec = fakeSpec({ heldOutPrompts: prompts.slice(0, 1), evaluationSamples: 70 });
  const sizes: number[] = [];
  const fake = createFakePolicy();
  const policy: Policy = {
    ...fake,
    rollout: (request) => {
      sizes.push(request.groupSize * request.prompts.length);
      return fake.rollout(request);
    },
  };
  const request = { spec, adapter: null, step: 0 };
  const answers = await answerHeldOut(policy, fakeCodec, request);
  expect(sizes).toEqual([16, 16, 16, 16, 6]);
  expect(answers).toHaveLength(70);
  const texts = answers.map(({ text }) => text);
  expect(texts.slice(16, 32)).not.toEqual(texts.slice(0, 16));
  expect(await answerHeldOut(policy, fakeCodec, request)).toEqual(answers);

  sizes.length = 0;
  const controller = new AbortController();
  const stopped = answerHeldOut(policy, fakeCodec, {
    ...request,
    signal: controller.signal,
    onProgress: (done) => {
      if (done === 32) controller.abort();
    },
  });
  await expect(stopped).rejects.toMatchObject({ code: "aborted" });
  expect(sizes).toEqual([16, 16]);
});

test("tells of answers while they are written, never more than there are", async () => {
  const spec = fakeSpec({ heldOutPrompts: prompts.slice(0, 1), evaluationSamples: 20 });
  const longest = spec.grpo.max_completion_length;
  const fake = createFakePolicy();
  const policy: Policy = {
    ...fake,
    rollout: ({ onProgress: told, ...request }) => {
      const rows = request.groupSize * request.prompts.length;
      for (const share of [0.5, 1]) told?.(share * rows * longest);
      return fake.rollout(request);
    },
  };
  const told: number[] = [];
  const onProgress = (answers: number): number => told.push(answers);
  await answerHeldOut(policy, fakeCodec, { spec, adapter: null, step: 0, onProgress });
  expect(told).toEqual([8, 16, 16, 18, 20, 20]);
});
