/**
 * Flags over a window: a criterion is dead or saturated when nearly none or nearly all recent rollouts met it, so that
 * their comparison teaches nothing about it; else it is learning. methods.md section 1, "Diagnostic" [ours]. A flag
 * turns only when the rate has clearly passed its bound: the flips of a noisy judge move it to and fro by chance.
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
/** A flag turns when the window's rate is past the bound by so many of its own standard errors. */
export const FLAG_MARGIN = 1.5;

/** One judged group of one criterion: number of valid verdicts and their sum. */
export interface JudgedGroup {
  readonly judged: number;
  readonly passed: number;
}

export type Flag = Exclude<CriterionState, "unseen">;

/** What a flag looks back on, and what it was after the newest step. */
export interface CriterionWindow {
  /** The last judged groups, oldest first. */
  readonly groups: readonly JudgedGroup[];
  /** null: too little seen. */
  readonly flag: Flag | null;
}

/** Criterion identity -> its window. Part of a run's saved state. */
export type FlagWindow = Readonly<Record<string, CriterionWindow>>;

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

/**
 * The window with a step's groups added and the flags that follow; groups without a verdict of a criterion do not count
 * for it.
 *
 * @param judgeNoise probability of a flipped verdict
 */
export function extendFlagWindow(
  window: FlagWindow,
  criteria: readonly Criterion[],
  groups: readonly VerdictMatrix[],
  judgeNoise: number,
): FlagWindow {
  const added = criteria.map((criterion, index) => {
    const identity = criterionIdentity(criterion);
    const before = window[identity] ?? { groups: [], flag: null };
    const fresh = groups.flatMap((group): JudgedGroup[] => {
      const verdicts = present(columnOf(group, index));
      const passed = verdicts.reduce((sum, verdict) => sum + verdict, 0);
      return verdicts.length === 0 ? [] : [{ judged: verdicts.length, passed }];
    });
    const kept = [...before.groups, ...fresh].slice(-FLAG_GROUPS);
    return [identity, { groups: kept, flag: nextFlag(kept, judgeNoise, before.flag) }] as const;
  });
  return { ...window, ...Object.fromEntries(added) };
}

function totals(groups: readonly JudgedGroup[]): JudgedGroup {
  return {
    judged: groups.reduce((sum, group) => sum + group.judged, 0),
    passed: groups.reduce((sum, group) => sum + group.passed, 0),
  };
}

/**
 * A flag turns beyond the margin. The first one goes by the bounds where the judge is exact; under noise it waits until it
 * is clear or the window is full, and counts as flat if it still is in doubt then.
 */
function nextFlag(groups: readonly JudgedGroup[], judgeNoise: number, before: Flag | null): Flag | null {
  const { judged, passed } = totals(groups);
  if (judged < FLAG_MIN_VERDICTS) return null;
  const rate = passed / judged;
  const margin = FLAG_MARGIN * Math.sqrt((rate * (1 - rate)) / judged);
  /** Flat by the bounds after the rate came nearer to an end (slack > 0) or went farther from it. */
  const flat = (dead: number, saturated: number): Flag => {
    const isDead = flatState(rate - dead, judgeNoise) === "dead";
    const isSaturated = flatState(rate + saturated, judgeNoise) === "saturated";
    return isDead === isSaturated ? "learning" : isDead ? "dead" : "saturated";
  };
  if (before !== null) {
    return flat(before === "dead" ? margin : -margin, before === "saturated" ? margin : -margin);
  }
  const doubtful = judgeNoise === 0 ? flat(0, 0) : flat(margin, margin);
  const clear = judgeNoise === 0 || doubtful === flat(-margin, -margin);
  return clear || groups.length === FLAG_GROUPS ? doubtful : null;
}

/** The flag of a criterion at a judge noise (probability of a flipped verdict). */
export function flagOf(window: FlagWindow, criterion: Criterion, judgeNoise: number): CriterionFlag {
  const { groups, flag } = window[criterionIdentity(criterion)] ?? { groups: [], flag: null };
  const { judged, passed } = totals(groups);
  if (judgeNoise + FLAT_TOLERANCE >= 0.5) {
    return {
      state: "unseen",
      reason: `a judge that flips ${percent(judgeNoise)} of its verdicts tells nothing`,
    };
  }
  if (flag === null) {
    const few = `${judged} of at least ${FLAG_MIN_VERDICTS} verdicts`;
    const doubt = `${round(passed)} of ${judged} verdicts passed, under a judge that flips ${percent(judgeNoise)}`;
    return {
      state: "unseen",
      reason: `too little seen: ${judged < FLAG_MIN_VERDICTS ? few : doubt}`,
    };
  }
  const rate = `${round(passed)} of ${judged} verdicts passed in the last ${groups.length} groups (${percent(passed / judged)})`;
  const noise = judgeNoise > 0 ? `, with ${percent(judgeNoise)} of verdicts flipped` : "";
  return { state: flag, reason: `${rate}; ${boundWords(flag, passed / judged, judgeNoise)}${noise}` };
}

/** Which bound made the flag, or which one its rate has not clearly passed yet. */
function boundWords(flag: Flag, rate: number, judgeNoise: number): string {
  const low = percent(judgeNoise + FLAT_TOLERANCE);
  const high = percent(1 - judgeNoise - FLAT_TOLERANCE);
  const now = flatState(rate, judgeNoise);
  if (flag === "dead") {
    return now === "dead" ? `dead at ${low} or less` : `dead until clearly above ${low}`;
  }
  if (flag === "saturated") {
    return now === "saturated" ? `saturated at ${high} or more` : `saturated until clearly below ${high}`;
  }
  if (now === null) return `between ${low} and ${high}`;
  return now === "dead" ? `learning until clearly below ${low}` : `learning until clearly above ${high}`;
}

function percent(share: number): string {
  return `${round(share * 100)} %`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
