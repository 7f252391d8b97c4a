/**
 * Judge noise: a share of the training verdicts is flipped, s -> 1 - s. Held-out verdicts are never flipped.
 * The flips depend on seed, step, prompt, rollout and criterion only, so every arm meets the same ones.
 */
import { createRng } from "../../base/rng.ts";
import type { Criterion } from "./schema.ts";
import type { VerdictMatrix } from "./verdicts.ts";

/** Where a group stands in a run. */
export interface GroupPlace {
  readonly seed: number;
  /** 1 for the first update. */
  readonly step: number;
  /** Place of the prompt among the step's prompts. */
  readonly promptIndex: number;
}

/** The group's verdicts as a noisy judge gives them; missing ones stay missing. */
export function withJudgeNoise(
  verdicts: VerdictMatrix,
  criteria: readonly Criterion[],
  noise: number,
  { seed, step, promptIndex }: GroupPlace,
): VerdictMatrix {
  if (noise === 0) return verdicts;
  return verdicts.map((row, rollout) =>
    row.map((verdict, index) => {
      if (verdict === null) return null;
      const id = criteria[index]?.id ?? "";
      const draw = createRng(seed, "judge-noise", step, promptIndex, rollout, id).next();
      return draw < noise ? 1 - verdict : verdict;
    }),
  );
}
