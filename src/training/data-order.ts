/**
 * Which prompts a step sees: a seeded shuffle per epoch, taken P at a time; what is left over at the end of an
 * epoch and does not fill a step is dropped, as in TRL's RepeatSampler. The same for every arm of a run.
 */
import { PlaygroundError } from "../base/errors.ts";
import { createRng, shuffled } from "../base/rng.ts";

/** Where the data stands: prompts of `epoch` already used. Saved with the run. */
export interface DataPosition {
  readonly epoch: number;
  readonly used: number;
}

export const dataStart: DataPosition = { epoch: 0, used: 0 };

export interface DataDraw<T> {
  readonly items: readonly T[];
  /** Where the data stands after this step. */
  readonly next: DataPosition;
  /** True when this step is the last of its epoch. */
  readonly endsEpoch: boolean;
}

/**
 * The next P items in the order of the epoch.
 * @throws PlaygroundError `config-invalid` when there are fewer items than one step needs.
 */
export function drawItems<T>(
  all: readonly T[],
  perStep: number,
  position: DataPosition,
  seed: number,
): DataDraw<T> {
  if (all.length < perStep) {
    throw new PlaygroundError({
      code: "config-invalid",
      where: "prompts_per_step",
      expected: `at most the number of training prompts (${all.length})`,
      got: String(perStep),
      next: "Lower it, or add prompts.",
    });
  }
  const order = shuffled(all, createRng(seed, "prompt-order", position.epoch));
  const used = position.used + perStep;
  const endsEpoch = used + perStep > all.length;
  return {
    items: order.slice(position.used, used),
    next: endsEpoch ? { epoch: position.epoch + 1, used: 0 } : { epoch: position.epoch, used },
    endsEpoch,
  };
}
