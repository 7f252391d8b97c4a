/**
 * The map's data: what each arm gains, and how much sooner it reaches the baseline's score, over judge noise x weight on
 * flat criteria. By the simulator and by real training, in one form, so that one picture draws both.
 */
import { z } from "zod";
import { parseJson, problemsError, problemsOf } from "../rubric/schema-problems.ts";
import { rewardRuleNameSchema } from "../run/spec.ts";

/** Mean over seeds with its 95 % interval; low and high are null with fewer than two seeds. */
const estimateSchema = z.strictObject({
  mean: z.number(),
  low: z.number().nullable(),
  high: z.number().nullable(),
});
export type MapEstimate = z.infer<typeof estimateSchema>;

/**
 * First step at which an arm reaches the score that the baseline of the same seed has at `goalStep`: median over seeds
 * with a 95 % bootstrap interval. null stands for "not within the run's steps".
 */
const stepsToBaselineSchema = z.strictObject({
  median: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  /** Seeds that reached it, of how many. */
  reached: z.int().nonnegative(),
  seeds: z.int().positive(),
});
export type StepsToBaseline = z.infer<typeof stepsToBaselineSchema>;

const mapArmSchema = z.strictObject({
  /** Unique in its cell. */
  arm: z.string().min(1),
  rule: rewardRuleNameSchema,
  /** At the last step. */
  finalScore: estimateSchema,
  /** Last score minus the score before training, by seed. */
  gain: estimateSchema,
  /** null: not measured. */
  stepsToBaseline: stepsToBaselineSchema.nullable(),
  /** goalStep / median of stepsToBaseline; null where most seeds never reach it. */
  speedUp: z.number().positive().nullable(),
});
export type MapArm = z.infer<typeof mapArmSchema>;

const mapCellSchema = z.strictObject({
  /** Weight of a flat criterion where the others weigh 1. */
  flatWeight: z.number().positive(),
  /** Share of training verdicts that are flipped. */
  judgeNoise: z.number().min(0).max(0.5),
  source: z.enum(["simulator", "training"]),
  seeds: z.int().positive(),
  /** Held-out samples an evaluation; null: the score is exact (simulator). */
  samples: z.int().positive().nullable(),
  /** Steps of a run. */
  steps: z.int().positive(),
  /** Step at which the baseline's score is the goal of the others. */
  goalStep: z.int().positive(),
  arms: z.array(mapArmSchema).min(1),
});
export type MapCell = z.infer<typeof mapCellSchema>;

export const mapDataSchema = z
  .strictObject({
    /** Arm that the others are compared with, in every cell. */
    baseline: z.string().min(1),
    cells: z.array(mapCellSchema),
  })
  .superRefine(({ baseline, cells }, context) => {
    cells.forEach((cell, index) => {
      if (cell.arms.some((arm) => arm.arm === baseline)) return;
      const message = `the baseline "${baseline}" is no arm of this cell`;
      context.addIssue({ code: "custom", path: ["cells", index, "arms"], message });
    });
  });
export type MapData = z.infer<typeof mapDataSchema>;

/** @throws PlaygroundError `config-invalid` naming every problem of the file. */
export function parseMapData(text: string, source: string): MapData {
  const value = parseJson(text, "config-invalid", source);
  const result = mapDataSchema.safeParse(value);
  if (result.success) return result.data;
  const problems = problemsOf(result.error, value);
  throw problemsError({ code: "config-invalid", source, problems, next: "Make the map anew." });
}
