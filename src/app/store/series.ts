/**
 * From raw rows to what charts draw: at most `POINT_LIMIT` points a chart, null where a number is missing. Pure.
 */
import type { ArmStep, CriterionState, CriterionStep, Evaluation } from "../../domain/run/records.ts";
import type { RunBuffer } from "./run-buffer.ts";

/** Points of one chart, all its lines together. */
export const POINT_LIMIT = 2000;

/** x = step; one key per line. */
export type Point = Readonly<Record<string, number | null>> & { readonly x: number };

/** Evenly picked, first and last kept; the same array when it is short enough. */
export function downSample<T>(items: readonly T[], limit: number): readonly T[] {
  if (items.length <= limit) return items;
  if (limit < 2) return items.slice(-1);
  const stride = (items.length - 1) / (limit - 1);
  return Array.from({ length: limit }, (_, i) => items[Math.round(i * stride)] as T);
}

/** Lines of several arms joined by step: [{x, <arm>: value}], x ascending. */
function joinArms<Row extends { readonly step: number }>(
  arms: readonly string[],
  rowsOf: (arm: string) => readonly Row[],
  value: (row: Row) => number | null,
): readonly Point[] {
  const limit = Math.floor(POINT_LIMIT / Math.max(1, arms.length));
  const byStep = new Map<number, Record<string, number | null> & { x: number }>();
  for (const arm of arms) {
    for (const row of downSample(rowsOf(arm), limit)) {
      const point = byStep.get(row.step) ?? { x: row.step };
      point[arm] = value(row);
      byStep.set(row.step, point);
    }
  }
  return [...byStep.values()].sort((a, b) => a.x - b.x);
}

/** A held-out figure of every arm. */
export function evaluationSeries(
  buffer: RunBuffer,
  arms: readonly string[],
  value: (row: Evaluation) => number | null,
): readonly Point[] {
  return joinArms(arms, (arm) => buffer.evaluations(arm), value);
}

/** A metric of the training steps of every arm; null where a step did not log it. */
export function metricSeries(buffer: RunBuffer, arms: readonly string[], metric: string): readonly Point[] {
  return joinArms(
    arms,
    (arm) => buffer.steps(arm),
    (row) => row.metrics[metric] ?? null,
  );
}

/** The newest value of a series' line; null when there is none. */
export function lastValue(points: readonly Point[], line: string): number | null {
  for (let i = points.length - 1; i >= 0; i--) {
    const value = points[i]?.[line];
    if (value !== undefined && value !== null) return value;
  }
  return null;
}

export type StateShares = Readonly<Record<CriterionState, number>>;

/** Shares of a step's reward by the state of its criteria; they sum to the pressures' sum, 1. */
export function stateShares(step: ArmStep): StateShares {
  const shares = { learning: 0, saturated: 0, dead: 0, unseen: 0 };
  for (const criterion of step.criteria) shares[criterion.state] += criterion.pressure;
  return shares;
}

/** Where one arm's reward goes, step by step: [{x, learning, saturated, dead, unseen}]. */
export function pressureSeries(steps: readonly ArmStep[]): readonly (StateShares & { readonly x: number })[] {
  return downSample(steps, POINT_LIMIT / 4).map((step) => ({ x: step.step, ...stateShares(step) }));
}

/** Criterion id -> its row of a step. */
export function criterionOf(step: ArmStep | undefined, id: string): CriterionStep | undefined {
  return step?.criteria.find((criterion) => criterion.id === id);
}

/** One figure of several criteria of one arm: [{x, <criterion id>: value}]; null where the criterion was not there. */
export function criteriaSeries(
  steps: readonly ArmStep[],
  ids: readonly string[],
  value: (row: CriterionStep) => number | null,
): readonly Point[] {
  const limit = Math.floor(POINT_LIMIT / Math.max(1, ids.length));
  return downSample(steps, limit).map((step) => {
    const point: Record<string, number | null> & { x: number } = { x: step.step };
    for (const id of ids) {
      const row = criterionOf(step, id);
      point[id] = row === undefined ? null : value(row);
    }
    return point;
  });
}

/** One cell of a criterion's strip. */
export interface StripCell {
  readonly step: number;
  readonly passRate: number | null;
  readonly state: CriterionState;
}

/** The pass rate step by step, at most `limit` cells. */
export function stripCells(steps: readonly ArmStep[], id: string, limit: number): readonly StripCell[] {
  return downSample(steps, limit).flatMap((step) => {
    const row = criterionOf(step, id);
    return row === undefined ? [] : [{ step: step.step, passRate: row.passRate, state: row.state }];
  });
}
