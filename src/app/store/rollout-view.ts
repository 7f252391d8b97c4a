/** What the inspector shows of a group: which answers, which verdicts in which category, how a token's chance moved. Pure. */
import type { Rollout, RolloutGroup, RolloutToken } from "../../domain/run/records.ts";
import type { Criterion } from "../../domain/rubric/schema.ts";
import type { Verdict } from "../../domain/rubric/verdicts.ts";

/** Indices of the rollouts, best reward first; missing rewards last, ties in their order. */
export function rankRollouts(rollouts: readonly Rollout[]): readonly number[] {
  const reward = (index: number): number => rollouts[index]?.reward ?? Number.NEGATIVE_INFINITY;
  return rollouts
    .map((_, index) => index)
    .sort((a, b) => (reward(b) === reward(a) ? a - b : reward(b) - reward(a)));
}

/** Best, middle and worst of a ranking, without repeats. */
export function bestMiddleWorst(ranked: readonly number[]): readonly number[] {
  const picks = [0, Math.floor((ranked.length - 1) / 2), ranked.length - 1];
  return [...new Set(picks.flatMap((at) => ranked[at] ?? []))];
}

export interface VerdictMark {
  readonly criterionId: string;
  readonly text: string;
  readonly verdict: Verdict;
  /** True where judge noise turned the verdict round. */
  readonly flipped: boolean;
  readonly reason: string;
}

/** A rollout's verdicts by category, in the rubric's order; criteria that the rubric no longer holds keep their id as text. */
export function verdictsByCategory(
  group: RolloutGroup,
  rollout: Rollout,
  criteria: readonly Criterion[],
): readonly { readonly category: string; readonly marks: readonly VerdictMark[] }[] {
  const known = new Map(criteria.map((criterion) => [criterion.id, criterion]));
  const categories = new Map<string, VerdictMark[]>();
  group.criterionIds.forEach((criterionId, j) => {
    const criterion = known.get(criterionId);
    const verdict = rollout.verdicts[j] ?? null;
    const before = rollout.verdictsBeforeNoise[j] ?? null;
    const category = criterion?.category ?? "";
    const mark: VerdictMark = {
      criterionId,
      text: criterion?.text ?? criterionId,
      verdict,
      flipped: verdict !== before,
      reason: rollout.reasons[j] ?? "",
    };
    categories.set(category, [...(categories.get(category) ?? []), mark]);
  });
  return [...categories].map(([category, marks]) => ({ category, marks }));
}

/** How far the update moved a token: -3 .. 3 by thresholds of |log p after - before| in nats; null when not measured. */
export type Tint = -3 | -2 | -1 | 0 | 1 | 2 | 3;
export const TINT_THRESHOLDS = [0.02, 0.08, 0.25] as const;

export function tintOf(token: RolloutToken): Tint | null {
  if (token.logProbAfter === null) return null;
  const change = token.logProbAfter - token.logProb;
  const size = TINT_THRESHOLDS.filter((threshold) => Math.abs(change) >= threshold).length;
  return (size === 0 ? 0 : Math.sign(change) * size) as Tint;
}

export interface TintedRun {
  readonly text: string;
  readonly tint: Tint | null;
  /** Sum over the run's tokens of log p after - before; null when not measured. */
  readonly change: number | null;
}

/** Neighbouring tokens of the same tint as one piece of text. */
export function tintedRuns(tokens: readonly RolloutToken[]): readonly TintedRun[] {
  const runs: TintedRun[] = [];
  for (const token of tokens) {
    const tint = tintOf(token);
    const change = token.logProbAfter === null ? null : token.logProbAfter - token.logProb;
    const last = runs.at(-1);
    if (last?.tint === tint) {
      const sum = last.change === null || change === null ? null : last.change + change;
      runs[runs.length - 1] = { text: last.text + token.text, tint, change: sum };
    } else runs.push({ text: token.text, tint, change });
  }
  return runs;
}
