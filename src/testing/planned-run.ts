/** The work of one step as a run does it, phase by phase, for tests that hold the planner to counted memory. */
import { createRng } from "../base/rng.ts";
import { type GrpoConfig, grpoConfigSchema } from "../domain/grpo/config.ts";
import type { Policy } from "../training/policy.ts";

export const PLANNED_PROMPT = 40;
/** Never sampled. */
export const NO_END: readonly number[] = [-1];

export const plannedSettings = (change: object): GrpoConfig =>
  grpoConfigSchema.parse({ num_generations: 8, max_completion_length: 32, micro_batch_size: 8, ...change });

type Phase = "rollout" | "held-out" | "update" | "optimizer";

export interface PlannedWork {
  readonly grpo: GrpoConfig;
  readonly vocabSize: number;
  /** Called after each phase. */
  readonly onPhase: (phase: Phase) => void;
  /** Rows of a second rollout; 0 = none. */
  readonly heldOut: number;
}

/** Answers as long as they may be (the model ends by `NO_END`), a gradient, an optimizer's step. */
export async function plannedStep(policy: Policy, work: PlannedWork): Promise<void> {
  const { grpo, vocabSize, onPhase, heldOut } = work;
  const rng = createRng(1, "planner");
  const { num_generations: G, prompts_per_step: P, max_completion_length: T } = grpo;
  const ids = (length: number): Int32Array =>
    Int32Array.from({ length }, () => 1 + Math.floor(rng.next() * (vocabSize - 1)));
  const prompts = Array.from({ length: P }, () => ids(PLANNED_PROMPT));
  const adapter = policy.initialAdapter(rng.next);
  const sampling = { maxTokens: T, temperature: 1, topK: 0, topP: 1, adapter, uniform: rng.next };
  await policy.rollout({ ...sampling, prompts, groupSize: G });
  onPhase("rollout");
  if (heldOut > 0) await policy.rollout({ ...sampling, prompts, groupSize: heldOut, maxTokens: 4 });
  onPhase("held-out");
  const groups = prompts.map((prompt) => ({
    prompt,
    completions: Array.from({ length: G }, (_, g) => ({
      tokens: ids(T),
      advantage: g % 2 === 0 ? 1 : -1,
      oldLogProbs: new Float32Array(T).fill(-2),
      refLogProbs: null,
    })),
  }));
  const { gradient } = await policy.gradient(groups, adapter, grpo);
  onPhase("update");
  const zeros = (): Float32Array => new Float32Array(adapter.length);
  const settings = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 };
  const state = { m: zeros(), v: zeros(), step: 0 };
  await policy.optimize(adapter, gradient, state, { ...settings, learningRate: 1e-3 });
  onPhase("optimizer");
}
