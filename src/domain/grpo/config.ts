/**
 * The training settings, in TRL's `GRPOConfig` names (TRL 1.16) with the playground's defaults (methods.md,
 * section 5). What TRL does not have is marked [ours]. Bounds leave out what overflows or hangs whatever the data; the
 * learning rate has none, since what it breaks is said in its own words.
 */
import { z } from "zod";

export const loraConfigSchema = z.strictObject({
  r: z.int().min(1).max(1024).default(8),
  lora_alpha: z.number().positive().max(4096).default(16),
  target_modules: z
    .array(z.enum(["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]))
    .min(1)
    .default(["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]),
  /** Scaled by alpha / sqrt(r) in place of alpha / r. */
  use_rslora: z.boolean().default(false),
});
export type LoraConfig = z.infer<typeof loraConfigSchema>;

export const grpoConfigSchema = z.strictObject({
  num_generations: z.int().min(2).max(64).default(16),
  /** [ours] prompts per step, P; TRL counts sequences instead. */
  prompts_per_step: z.int().min(1).max(32).default(1),
  max_completion_length: z.int().min(1).max(512).default(72),
  temperature: z.number().min(0.01).max(100).default(1),
  /** 0 = off. */
  top_k: z.int().nonnegative().default(0),
  /** 1 = off. */
  top_p: z.number().positive().max(1).default(1),
  beta: z.number().nonnegative().max(100).default(0),
  use_bias_correction_kl: z.boolean().default(true),
  epsilon: z.number().positive().max(100).default(0.2),
  /** null = the same as epsilon. */
  epsilon_high: z.number().positive().max(100).nullable().default(null),
  /** Largest importance ratio of the branch that is not clipped; null = off. */
  delta: z.number().positive().max(1e6).nullable().default(null),
  importance_sampling_level: z.enum(["token", "sequence"]).default("token"),
  num_iterations: z.int().min(1).max(16).default(1),
  loss_type: z.enum(["grpo", "bnpo", "dr_grpo", "dapo"]).default("dapo"),
  scale_rewards: z.enum(["group", "batch", "none"]).default("group"),
  /** Completions that the length limit cut leave the loss; they stay in their group's mean and spread. */
  mask_truncated_completions: z.boolean().default(false),
  learning_rate: z.number().positive().default(2e-3),
  lr_scheduler_type: z.enum(["constant", "linear", "cosine"]).default("constant"),
  warmup_steps: z.int().nonnegative().max(1e6).default(0),
  max_steps: z.int().min(1).max(1e6).default(60),
  adam_beta1: z.number().min(0).lt(1).default(0.9),
  adam_beta2: z.number().min(0).lt(1).default(0.95),
  adam_epsilon: z.number().min(1e-12).max(1).default(1e-8),
  weight_decay: z.number().nonnegative().max(100).default(0),
  max_grad_norm: z.number().min(1e-6).max(1e6).default(1),
  /**
   * Completions of one gradient pass; gradients of several passes are summed. null = all at once. 16 is as fast as 96
   * at once and takes a third of the memory.
   */
  micro_batch_size: z.int().min(1).nullable().default(16),
  /** Steps between two checkpoints; a pause keeps one too. */
  save_steps: z.int().min(1).max(1e6).default(5),
  /** Checkpoints of a run that are kept, the newest ones. */
  save_total_limit: z.int().min(1).max(100).default(3),
  /** [ours] A loss further from 0 than this pauses the run before the update; null = off. */
  divergence_loss: z.number().positive().nullable().default(1e4),
  /** [ours] The same for the gradient's norm before clipping; null = off. */
  divergence_grad_norm: z.number().positive().nullable().default(1e4),
  lora: loraConfigSchema.default(() => loraConfigSchema.parse({})),
  /** [ours] group spreads below this count as zero (TRL: only exact ties); 0 in parity tests. */
  zero_spread_tolerance: z.number().nonnegative().max(1).default(1e-6),
});
export type GrpoConfig = z.infer<typeof grpoConfigSchema>;
