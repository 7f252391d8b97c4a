/** What the comparison panel shows: the summary of the evaluations that every seed and arm has, by one rubric. Pure. */
import {
  scorePairs,
  summarise,
  type Estimate,
  type ScorePair,
  type SeedRows,
  type Summary,
} from "../../domain/experiment/summary.ts";
import type { Evaluation } from "../../domain/run/records.ts";
import type { RunBuffer } from "./run-buffer.ts";
import type { MeasureOf } from "./series.ts";

export interface Compared {
  readonly summary: Summary;
  /** Evaluated last. */
  readonly step: number;
  /** Held-out answers of an arm's evaluation in one seed. */
  readonly samples: number;
  /** False where the rubric was edited since: the base was scored by another one. */
  readonly hasBase: boolean;
  /** Where each seed of each arm stands at that step. */
  readonly ends: readonly ScorePair[];
}

/** What the reference gained over the base; null where the base was scored by another rubric. */
export function referenceGain({ summary, hasBase }: Compared): Estimate | null {
  const own = summary.arms.find(({ arm }) => arm === summary.baseline);
  return hasBase ? (own?.gain.score ?? null) : null;
}

export interface CompareBy {
  readonly arms: readonly string[];
  readonly reference: string;
  readonly target: number | null;
}

/** Evaluations that every seed of every arm has. */
export function comparableCount(buffer: RunBuffer, arms: readonly string[]): number {
  const counts = arms.flatMap((arm) => buffer.evaluationsBySeed(arm).map((rows) => rows.length));
  return counts.length === 0 ? 0 : Math.min(...counts);
}

/**
 * null before the first evaluation.
 * @param count from `comparableCount`
 * @param measure evaluations that differ in it from the newest are left out
 */
export function compare(
  buffer: RunBuffer,
  count: number,
  { arms, reference, target }: CompareBy,
  measure: MeasureOf<Evaluation>,
): Compared | null {
  const bySeed = arms.map((arm) => buffer.evaluationsBySeed(arm).map((rows) => rows.slice(0, count)));
  const first = bySeed[0]?.[0] ?? [];
  const last = first.at(-1);
  if (last === undefined) return null;
  const from = first.findLastIndex((row) => measure(row) !== measure(last)) + 1;
  const runs = (bySeed[0] ?? []).map((_, seed): SeedRows => ({
    seed,
    rows: bySeed.flatMap((seeds) => seeds[seed]?.slice(from) ?? []),
  }));
  return {
    summary: summarise(runs, { arms, baseline: reference, target: target ?? undefined }),
    step: last.step,
    samples: last.samples,
    hasBase: first[from]?.step === 0,
    ends: scorePairs(runs).filter(({ step }) => step === last.step),
  };
}
