/** A model held as floats or in blocks opens our own kernels, samples and trains. */
import { expect, test } from "vitest";
import { createRng } from "../../base/rng.ts";
import { grpoConfigSchema } from "../../domain/grpo/config.ts";
import { openKernelEngine } from "../../engine/kernels/kernels-node.ts";
import { createRandomModelSource } from "../../testing/random-model.ts";
import { WEIGHT_STORAGES } from "../../domain/run/memory-plan.ts";
import { openModel } from "./loaded-model.ts";

test.each(WEIGHT_STORAGES)("a model held as %s", async (storage) => {
  const opened: string[] = [];
  const host = await openModel({
    source: createRandomModelSource(),
    use: { storage, thinking: false },
    choice: "auto",
    machine: { cores: 2, crossOriginIsolated: true, threads: 1, gpu: null },
    openEngine: (kind) => {
      opened.push(kind);
      return kind === "kernels" ? openKernelEngine() : Promise.reject(new Error(kind));
    },
    now: () => performance.now(),
    onProgress: () => undefined,
  });
  expect(opened).toEqual(["kernels"]);
  const policy = await host.policyFor(null);
  const prompt = host.codec.encodePrompt([{ role: "user", content: "Hello" }]);
  const rng = createRng(1, "stored model");
  const adapter = policy.initialAdapter(() => rng.next());
  const sampling = { groupSize: 4, maxTokens: 8, temperature: 1, topK: 0, topP: 1, adapter };
  const [group = []] = await policy.rollout({ prompts: [prompt], ...sampling, uniform: () => rng.next() });
  const completions = group.map(({ tokens, logProbs }, i) => ({
    tokens,
    advantage: i - 1.5,
    oldLogProbs: logProbs,
    refLogProbs: null,
  }));
  const loss = grpoConfigSchema.parse({ max_completion_length: 8 });
  const { gradient, logProbs } = await policy.gradient([{ prompt, completions }], adapter, loss);
  expect(Math.hypot(...gradient.filter((value) => value !== 0).slice(0, 1000))).toBeGreaterThan(0);
  expect(gradient.every(Number.isFinite)).toBe(true);
  const sampled = group.flatMap((row) => [...row.logProbs]);
  logProbs
    .flat(2)
    .flatMap((row) => [...row])
    .forEach((value, i) => {
      expect(Math.abs(value - (sampled[i] ?? NaN))).toBeLessThan(1e-4);
    });
  await host.dispose();
});
