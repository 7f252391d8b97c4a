/**
 * The learning rate of a step, as transformers' `get_scheduler` computes it: warm-up from 0, then constant, linear
 * to 0, or half a cosine to 0. With warm-up the first update has rate 0, as there.
 *
 * 1. `constant` with warm-up steps is transformers' `constant_with_warmup`; its plain `constant` ignores them.
 */
import type { GrpoConfig } from "./config.ts";

export type ScheduleConfig = Pick<
  GrpoConfig,
  "learning_rate" | "lr_scheduler_type" | "warmup_steps" | "max_steps"
>;

/** A factor on the rate from a step on. */
export interface RateFactor {
  readonly fromStep: number;
  readonly factor: number;
}

/** The rate of update `step`, 1 for the first; every factor that counts by then multiplies it [ours]. */
export function learningRateAt(
  step: number,
  config: ScheduleConfig,
  factors: readonly RateFactor[] = [],
): number {
  const due = factors.filter(({ fromStep }) => fromStep <= step);
  const rate = config.learning_rate * scheduleFactor(step - 1, config);
  return due.reduce((product, { factor }) => product * factor, rate);
}

function scheduleFactor(done: number, config: ScheduleConfig): number {
  const { warmup_steps: warmup, max_steps: total } = config;
  if (done < warmup) return done / Math.max(1, warmup);
  const left = Math.max(1, total - warmup);
  switch (config.lr_scheduler_type) {
    case "constant":
      return 1;
    case "linear":
      return Math.max(0, (total - done) / left);
    case "cosine":
      return Math.max(0, 0.5 * (1 + Math.cos((Math.PI * (done - warmup)) / left)));
  }
}
