/** What a run is made of: arms, settings, rubric and prompts. Serialisable; the page, the worker and the headless trainer share it. */
import { z } from "zod";
import { grpoConfigSchema, loraConfigSchema } from "../grpo/config.ts";
import { rubricSchema } from "../rubric/schema.ts";
import { judgeSpecSchema } from "./judge-spec.ts";

/** POW3R's constants (methods.md section 1; all values [ours]). */
export const pow3rConfigSchema = z
  .strictObject({
    lambda: z.number().min(0).max(1).default(0.5),
    alpha_min: z.number().min(1e-6).max(1).default(0.5),
    alpha_max: z.number().min(1).max(1000).default(2),
    beta_ema: z.number().gt(0).max(1).default(0.5),
    epsilon: z.number().min(1e-12).max(1).default(1e-4),
    /** [paper] "epoch"; every bundled scenario sets "step". */
    alpha_update: z.enum(["epoch", "step"]).default("epoch"),
    /** [ours] With "step": alpha moves after every so many steps, by all that they saw. */
    alpha_interval: z.int().min(1).max(1e6).default(1),
    alpha_scope: z.enum(["prompt", "scenario"]).default("scenario"),
    /** Fewer valid verdicts than this share of the group: alpha keeps its value [paper]. */
    min_valid_share: z.number().min(0).max(1).default(0.75),
  })
  .describe("POW3R");
export type Pow3rConfig = z.infer<typeof pow3rConfigSchema>;

export const rewardRuleNames = ["pow3r", "static-scalar", "category-balanced", "gdpo", "binary"] as const;
export const rewardRuleNameSchema = z.enum(rewardRuleNames);
export type RewardRuleName = z.infer<typeof rewardRuleNameSchema>;

const own = grpoConfigSchema.shape;
/** Training settings that an arm may have of its own: those of the update. Rollouts, prompts and adapter are the run's. */
export const armGrpoSchema = z.strictObject({
  scale_rewards: own.scale_rewards.unwrap().exactOptional(),
  loss_type: own.loss_type.unwrap().exactOptional(),
  learning_rate: own.learning_rate.unwrap().exactOptional(),
  beta: own.beta.unwrap().exactOptional(),
  epsilon: own.epsilon.unwrap().exactOptional(),
  num_iterations: own.num_iterations.unwrap().exactOptional(),
  max_grad_norm: own.max_grad_norm.unwrap().exactOptional(),
});

/** One arm: a reward rule trained with its own adapter on the shared base. */
export const armSpecSchema = z.strictObject({
  id: z.string().min(1),
  rule: rewardRuleNameSchema,
  /** Over the run's. */
  grpo: armGrpoSchema.exactOptional(),
  pow3r: pow3rConfigSchema.default(() => pow3rConfigSchema.parse({})),
});
export type ArmSpec = z.infer<typeof armSpecSchema>;

export const chatMessageSchema = z.strictObject({
  role: z.enum(["system", "user", "assistant"]),
  content: z.string(),
});
export type ChatMessage = z.infer<typeof chatMessageSchema>;

/** A prompt with what checks need to know about it. */
export const scenarioPromptSchema = z.strictObject({
  id: z.string().min(1),
  messages: z.array(chatMessageSchema).min(1),
  fields: z.record(z.string(), z.string()).default({}),
});
export type ScenarioPrompt = z.infer<typeof scenarioPromptSchema>;

/** A rubric that replaces the one before it from a later step on: an edit that is known ahead, since the run is repeated. */
const rubricEditSchema = z.strictObject({ fromStep: z.int().min(1), rubric: rubricSchema });

/** Random streams start from 32 bits of it: a larger one would repeat another seed's run. */
export const seedSchema = z
  .int()
  .nonnegative()
  .max(2 ** 32 - 1);

/** From a step of one seed on, every arm's learning rate is multiplied by a factor, over what earlier edits made of it. */
const learningRateEditSchema = z.strictObject({
  seed: seedSchema,
  fromStep: z.int().min(1),
  factor: z.number().positive().max(1),
});
export type LearningRateEdit = z.infer<typeof learningRateEditSchema>;

/** Seeds that follow one another, where only their number is asked for. */
export const seedCountSchema = z.int().min(1).max(16).default(1);

/** Seeds of one specification that are trained side by side; each repeats the run of that seed alone. */
export const seedsSchema = z
  .array(seedSchema)
  .min(1)
  .max(16)
  .refine((seeds) => new Set(seeds).size === seeds.length, "seeds that differ");

/** A model other than the bundled one, as its run names it: the numbers are those of these weights and this template. */
export const modelIdentitySchema = z.strictObject({
  /** Hub id, address or folder. */
  id: z.string().min(1),
  /** null where the source has none. */
  revision: z.string().min(1).nullable().default(null),
  storage: z.enum(["f32", "q8", "q4"]),
  /** The chat template's `enable_thinking`. */
  thinking: z.boolean().default(false),
});
export type ModelIdentity = z.infer<typeof modelIdentitySchema>;

/**
 * An adapter from elsewhere that every arm starts from, in place of a fresh one. Its numbers are in the run's record; here stands
 * what tells it from another.
 */
export const startAdapterSchema = z.strictObject({
  /** Folder or file it was read from. */
  name: z.string().min(1),
  /** SHA-256 of its numbers, float32 in the order of the flat vector. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/, "64 hexadecimal digits"),
  /** `base_model_name_or_path` of its config; null where it has none. */
  baseModel: z.string().nullable().default(null),
  /** What it computes with; the run's own `grpo.lora` is the same. */
  lora: loraConfigSchema,
});
export type StartAdapter = z.infer<typeof startAdapterSchema>;

export const runSpecSchema = z.strictObject({
  scenarioId: z.string().min(1),
  /** Absent = the bundled model. */
  model: modelIdentitySchema.exactOptional(),
  /** Absent = a fresh adapter. */
  startAdapter: startAdapterSchema.exactOptional(),
  /** The scenario's set-up that it began as; null where none is known. */
  setUpId: z.string().min(1).nullable().default(null),
  seed: seedSchema.default(1),
  arms: z.array(armSpecSchema).min(1).max(6),
  rubric: rubricSchema,
  /** By rising step; empty but for runs that repeat another one's edits. */
  rubricEdits: z.array(rubricEditSchema).default([]),
  trainPrompts: z.array(scenarioPromptSchema).min(1),
  heldOutPrompts: z.array(scenarioPromptSchema).min(1),
  grpo: grpoConfigSchema,
  /** Reads the criteria that no check decides, for every arm. Absent = nobody does. */
  judge: judgeSpecSchema.exactOptional(),
  /** The same at held-out evaluations. Absent = the training's. */
  heldOutJudge: judgeSpecSchema.exactOptional(),
  /** Probability that a training verdict is flipped; held-out verdicts never are. */
  judgeNoise: z.number().min(0).max(0.5).default(0),
  /** Steps between evaluations on held-out prompts; step 0 and the last step are always evaluated. */
  evaluateEvery: z.int().min(1).default(10),
  /** Held-out samples an evaluation. */
  evaluationSamples: z.int().min(1).max(4096).default(64),
  /** What a person changed of the learning rate on the way, after a step that came to nothing. */
  learningRateEdits: z.array(learningRateEditSchema).default([]),
});
export type RunSpec = z.infer<typeof runSpecSchema>;

/** The same where it was written by an older build, whose `saveEvery` is today's `grpo.save_steps`. */
export const keptRunSpecSchema = z.preprocess(withSaveSteps, runSpecSchema);

function withSaveSteps(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("saveEvery" in value)) return value;
  const { saveEvery, ...spec } = value;
  if (!("grpo" in spec) || typeof spec.grpo !== "object" || spec.grpo === null) return value;
  return { ...spec, grpo: { ...spec.grpo, save_steps: saveEvery } };
}
