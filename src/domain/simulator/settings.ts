/**
 * What the simulator is asked: a rubric of flat and mixed criteria, a noisy judge, and GRPO's settings in TRL's names.
 * Defaults are the 10:1 cell with 3 % flips of methods.md section 1, "What to expect". What that text leaves open:
 *
 * 1. 20 criteria, three flat and two mixed ones in each of the four categories [ours]: with these its table comes out.
 * 2. Category sizes and the share of flat criteria are rounded where they do not divide [ours].
 */
import { z } from "zod";
import { grpoConfigSchema } from "../grpo/config.ts";
import { pow3rConfigSchema } from "../run/spec.ts";

const grpo = grpoConfigSchema.shape;
const alpha = pow3rConfigSchema.shape;

export const simulatorSettingsSchema = z
  .strictObject({
    criteria: z.int().min(1).max(60).default(20),
    categories: z.int().min(1).max(10).default(4),
    /** Share of criteria that nearly always pass or nearly always fail at the start. */
    flatShare: z.number().min(0).max(1).default(0.6),
    /** Weight of a flat criterion; mixed ones weigh 1. */
    flatWeight: z.number().min(0.1).max(100).default(10),
    /** "even": every category has its share of flat criteria; "gathered": they fill category after category. */
    flatPlaces: z.enum(["even", "gathered"]).default("even"),
    /** Share of training verdicts that are flipped; the score that is shown never has flips. */
    judgeNoise: z.number().min(0).max(0.5).default(0.03),
    num_generations: grpo.num_generations,
    scale_rewards: grpo.scale_rewards,
    lambda: alpha.lambda,
    alpha_min: alpha.alpha_min,
    alpha_max: alpha.alpha_max,
    beta_ema: alpha.beta_ema,
    epsilon: alpha.epsilon,
    /** Steps between two moves of alpha; their variances are pooled as over an epoch. */
    alpha_interval: z.int().min(1).max(100).default(1),
    /** A logit moves by this times the mean over rollouts of advantage x (verdict - pass rate). */
    stepSize: z.number().positive().max(10).default(0.3),
    steps: z.int().min(10).max(2000).default(300),
    /** Static's score at this step is the goal of every rule. */
    goalStep: z.int().min(1).max(2000).default(200),
    seeds: z.int().min(1).max(100).default(20),
  })
  .refine(({ categories, criteria }) => categories <= criteria, {
    error: "at most one category a criterion",
    path: ["categories"],
  })
  .refine(({ goalStep, steps }) => goalStep <= steps, {
    error: "at most the number of steps",
    path: ["goalStep"],
  });
export type SimulatorSettings = z.infer<typeof simulatorSettingsSchema>;
