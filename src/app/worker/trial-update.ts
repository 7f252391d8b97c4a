/** One gradient as a run would take it, for measurements: advantages that cancel, the default loss. Its result is thrown away. */
import type { Completion, Policy, PromptTokens } from "../../training/policy.ts";

export interface Trial {
  readonly prompt: PromptTokens;
  readonly group: readonly Completion[];
  readonly adapter: Float32Array;
  /** `max_completion_length`. */
  readonly tokens: number;
}

/** The gradient of one group. */
export function trialUpdate(
  policy: Policy,
  { prompt, group, adapter, tokens: most }: Trial,
): ReturnType<Policy["gradient"]> {
  const completions = group.map(({ tokens, logProbs }, i) => ({
    tokens,
    advantage: i % 2 === 0 ? 1 : -1,
    oldLogProbs: logProbs,
    refLogProbs: null,
  }));
  return policy.gradient([{ prompt, completions }], adapter, {
    loss_type: "dapo",
    epsilon: 0.2,
    epsilon_high: null,
    delta: null,
    importance_sampling_level: "token",
    beta: 0,
    use_bias_correction_kl: true,
    temperature: 1,
    max_completion_length: most,
    micro_batch_size: null,
  });
}
