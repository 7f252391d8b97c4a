/** Whole sets of training settings, one click each: the demo's own and the POW3R paper's (arXiv 2605.20164). */
import { grpoConfigSchema, type GrpoConfig } from "./config.ts";

export interface GrpoPreset {
  readonly title: string;
  /** One or two sentences for the page: what it is, and where it departs from its source. */
  readonly description: string;
  readonly values: Partial<GrpoConfig>;
}

export type GrpoPresetName = "demo" | "paper";

/**
 * `paper` sets what the paper states; what it does not state keeps the demo's value. Its answers of up to 3,584
 * tokens do not fit a model of a few hundred positions: the answer length is left as it is, and the description says so.
 */
export const grpoPresets = {
  demo: {
    title: "This demo's own",
    description:
      "Settings found for the small bundled model: DAPO loss, no KL, learning rate 2e-3, answers of 72 tokens at most.",
    values: grpoConfigSchema.parse({}),
  },
  paper: {
    title: "As in the paper",
    description:
      "POW3R's published settings: groups of 16, temperature 1, KL 0.1, clip 0.2, gradient clip 0.5. The paper's answers may have " +
      "3,584 tokens; here the model's own context is far shorter, so the answer length stays as it is.",
    values: {
      num_generations: 16,
      temperature: 1,
      top_k: 0,
      top_p: 1,
      beta: 0.1,
      epsilon: 0.2,
      epsilon_high: null,
      delta: null,
      importance_sampling_level: "token",
      mask_truncated_completions: false,
      loss_type: "grpo",
      scale_rewards: "group",
      max_grad_norm: 0.5,
    },
  },
} satisfies Record<GrpoPresetName, GrpoPreset>;

/** The settings with a preset's values put over them. */
export function withPreset(config: GrpoConfig, name: GrpoPresetName): GrpoConfig {
  return { ...config, ...grpoPresets[name].values };
}
