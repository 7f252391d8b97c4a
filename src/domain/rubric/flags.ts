/**
 * Flags over a window: a criterion is dead or saturated when nearly none or nearly all recent rollouts met it, so that
 * their comparison teaches nothing about it; else it is learning. methods.md section 1, "Diagnostic" [ours].
 */
import type { CriterionState } from "../run/records.ts";
import { columnOf, present } from "./moments.ts";
import { criterionIdentity, type Criterion } from "./schema.ts";
import type { VerdictMatrix } from "./verdicts.ts";

/** Groups in which the criterion was judged that the flag looks back on. */
export const FLAG_GROUPS = 8;
/** Fewer verdicts in the window: too little seen. */
export const FLAG_MIN_VERDICTS = 32;
/** Pass rates up to this, or within this of 1, count as flat; judge noise widens it. */
export const FLAT_TOLERANCE = 0.02;

/** One judged group of one criterion: number of valid verdicts and their sum. */
export interface JudgedGroup {
  readonly judged: number;
  readonly passed: number;
}

/** Criterion identity -> its last judged groups, oldest first. Part of a run's saved state. */
export type FlagWindow = Readonly<Record<string, readonly JudgedGroup[]>>;

export interface CriterionFlag {
  readonly state: CriterionState;
  /** In words, with the figures. */
  readonly reason: string;
}

/** Whether a pass rate teaches nothing, by the thresholds that noise widens; null: it does teach. */
export function flatState(passRate: number, judgeNoise: number): "dead" | "saturated" | null {
  // 1e-9: so that 1 - .02 and .98 are one number
  const tolerance = judgeNoise + FLAT_TOLERANCE + 1e-9;
  if (passRate <= tolerance) return "dead";
  return passRate >= 1 - tolerance ? "saturated" : null;
}

/** The window with a step's groups added; groups without a verdict of a criterion do not count for it. */
export function extendFlagWindow(
  window: FlagWindow,
  criteria: readonly Criterion[],
  groups: readonly VerdictMatrix[],
): FlagWindow {
  const added = criteria.map((criterion, index) => {
    const identity = criterionIdentity(criterion);
    const fresh = groups.flatMap((group): JudgedGroup[] => {
      const verdicts = present(columnOf(group, index));
      const passed = verdicts.reduce((sum, verdict) => sum + verdict, 0);
      return verdicts.length === 0 ? [] : [{ judged: verdicts.length, passed }];
    });
    return [identity, [...(window[identity] ?? []), ...fresh].slice(-FLAG_GROUPS)] as const;
  });
  return { ...window, ...Object.fromEntries(added) };
}

/** The flag of a criterion at a judge noise (probability of a flipped verdict). */
export function flagOf(window: FlagWindow, criterion: Criterion, judgeNoise: number): CriterionFlag {
  const groups = window[criterionIdentity(criterion)] ?? [];
  const judged = groups.reduce((sum, group) => sum + group.judged, 0);
  const passed = groups.reduce((sum, group) => sum + group.passed, 0);
  if (judged < FLAG_MIN_VERDICTS) {
    return {
      state: "unseen",
      reason: `too little seen: ${judged} of at least ${FLAG_MIN_VERDICTS} verdicts`,
    };
  }
  const tolerance = judgeNoise + FLAT_TOLERANCE;
  if (tolerance >= 0.5) {
    return {
      state: "unseen",
      reason: `a judge that flips ${percent(judgeNoise)} of its verdicts tells nothing`,
    };
  }
  const rate = `${round(passed)} of ${judged} verdicts passed in the last ${groups.length} groups (${percent(passed / judged)})`;
  const noise = judgeNoise > 0 ? `, with ${percent(judgeNoise)} of verdicts flipped` : "";
  switch (flatState(passed / judged, judgeNoise)) {
    case "dead":
      return { state: "dead", reason: `${rate}; dead at ${percent(tolerance)} or less${noise}` };
    case "saturated":
      return {
        state: "saturated",
        reason: `${rate}; saturated at ${percent(1 - tolerance)} or more${noise}`,
      };
    case null:
      return {
        state: "learning",
        reason: `${rate}; between ${percent(tolerance)} and ${percent(1 - tolerance)}${noise}`,
      };
  }
}

function percent(share: number): string {
  return `${round(share * 100)} %`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
