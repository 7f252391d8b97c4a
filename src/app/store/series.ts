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

/** What a row is measured by: a line breaks between rows that differ in it. */
export type MeasureOf<Row> = (row: Row) => string;

/** A line's earlier pieces, cut off where the measure changed, are keys of their own: `<line>#1` is the oldest. */
const pieceKey = (line: string, piece: number): string => `${line}#${String(piece)}`;

/** How many values points hold under each key of each line: its earlier pieces, oldest first, then its own. */
export function pieces(
  points: readonly Point[],
  lines: readonly string[],
): ReadonlyMap<string, readonly { readonly key: string; readonly values: number }[]> {
  const counts = new Map<string, number>();
  for (const point of points) {
    for (const [key, value] of Object.entries(point)) {
      counts.set(key, (counts.get(key) ?? 0) + (value === null ? 0 : 1));
    }
  }
  const own = (line: string) => [...counts.keys()].filter((key) => key.startsWith(`${line}#`));
  return new Map(
    lines.map((line) => [line, [...own(line), line].map((key) => ({ key, values: counts.get(key) ?? 0 }))]),
  );
}

/** True where a line breaks, since what it measures changed. */
export function isBroken(points: readonly Point[]): boolean {
  return points.some((point) => Object.keys(point).some((key) => key.includes("#")));
}

/** The key of each row: the line's own for the newest piece. */
export function keysOf<Row>(
  line: string,
  rows: readonly Row[],
  measure: MeasureOf<Row> | null,
): readonly string[] {
  if (measure === null) return rows.map(() => line);
  let piece = 1;
  let before: string | null = null;
  const pieces = rows.map((row) => {
    const now = measure(row);
    if (before !== null && now !== before) piece += 1;
    before = now;
    return piece;
  });
  return pieces.map((own) => (own === piece ? line : pieceKey(line, own)));
}

interface Line<Row> {
  readonly key: string;
  readonly rows: readonly Row[];
  readonly value: (row: Row) => number | null;
  /** null: one piece. */
  readonly measure: MeasureOf<Row> | null;
}

/** Lines joined by step: [{x, <key>: value}], x ascending. */
function joinLines<Row extends { readonly step: number }>(lines: readonly Line<Row>[]): readonly Point[] {
  const limit = Math.floor(POINT_LIMIT / Math.max(1, lines.length));
  const byStep = new Map<number, Record<string, number | null> & { x: number }>();
  for (const { key, rows, value, measure } of lines) {
    const shown = downSample(rows, limit);
    const keys = keysOf(key, shown, measure);
    shown.forEach((row, i) => {
      const point = byStep.get(row.step) ?? { x: row.step };
      point[keys[i] ?? key] = value(row);
      byStep.set(row.step, point);
    });
  }
  return [...byStep.values()].sort((a, b) => a.x - b.x);
}

/** A held-out figure of every arm. */
export function evaluationSeries(
  buffer: RunBuffer,
  arms: readonly string[],
  value: (row: Evaluation) => number | null,
  measure: MeasureOf<Evaluation> | null = null,
): readonly Point[] {
  return joinLines(arms.map((key) => ({ key, rows: buffer.evaluations(key), value, measure })));
}

/** The held-out score of each category of one arm: [{x, <category>: score}]. */
export function categorySeries(
  evaluations: readonly Evaluation[],
  categories: readonly string[],
  measure: MeasureOf<Evaluation>,
): readonly Point[] {
  return joinLines(
    categories.map((key) => ({
      key,
      rows: evaluations,
      value: (row: Evaluation) => row.categories[key] ?? null,
      measure,
    })),
  );
}

/** A metric of the training steps of every arm; null where a step did not log it. */
export function metricSeries(
  buffer: RunBuffer,
  arms: readonly string[],
  metric: string,
  measure: MeasureOf<ArmStep> | null = null,
): readonly Point[] {
  const value = (row: ArmStep): number | null => row.metrics[metric] ?? null;
  return joinLines(arms.map((key) => ({ key, rows: buffer.steps(key), value, measure })));
}

/** One criterion of a run in every arm. */
export interface CriterionFigure {
  readonly id: string;
  readonly value: (row: CriterionStep) => number | null;
  readonly measure: MeasureOf<ArmStep>;
}

/** One figure of one criterion in every arm; null where it was not there. */
export function criterionSeries(
  buffer: RunBuffer,
  arms: readonly string[],
  { id, value, measure }: CriterionFigure,
): readonly Point[] {
  const ofStep = (step: ArmStep): number | null => {
    const row = criterionOf(step, id);
    return row === undefined ? null : value(row);
  };
  return joinLines(arms.map((key) => ({ key, rows: buffer.steps(key), value: ofStep, measure })));
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

/** The share that can teach; null while every criterion is too little seen to tell. */
export function teachingShare(shares: StateShares | undefined): number | null {
  if (shares === undefined) return null;
  const { learning, saturated, dead } = shares;
  return learning + saturated + dead > 0 ? learning : null;
}

/** Where one arm's reward goes, step by step: [{x, learning, saturated, dead, unseen}]. */
export function pressureSeries(steps: readonly ArmStep[]): readonly (StateShares & { readonly x: number })[] {
  return downSample(steps, POINT_LIMIT / 4).map((step) => ({ x: step.step, ...stateShares(step) }));
}

/** Criterion id -> its row of a step. */
export function criterionOf(step: ArmStep | undefined, id: string): CriterionStep | undefined {
  return step?.criteria.find((criterion) => criterion.id === id);
}

/**
 * One figure of several criteria of one arm: [{x, <criterion id>: value}]; null where the criterion was not there.
 *
 * @param meaning what a criterion asked at a step: its line breaks where that changed
 */
export function criteriaSeries(
  steps: readonly ArmStep[],
  ids: readonly string[],
  value: (row: CriterionStep) => number | null,
  meaning: (step: ArmStep, id: string) => string,
): readonly Point[] {
  const limit = Math.floor(POINT_LIMIT / Math.max(1, ids.length));
  const rows = downSample(steps, limit);
  return joinLines(
    ids.map((key) => ({
      key,
      rows,
      value: (step: ArmStep) => {
        const row = criterionOf(step, key);
        return row === undefined ? null : value(row);
      },
      measure: (step: ArmStep) => meaning(step, key),
    })),
  );
}

/** One cell of a criterion's strip. */
export interface StripCell {
  /** Its place among the steps that are shown. */
  readonly slot: number;
  readonly step: number;
  readonly passRate: number | null;
  readonly state: CriterionState;
  readonly alpha: number;
  /** False where the criterion asked something else then: no part of its present history. */
  readonly own: boolean;
}

/**
 * A criterion step by step, at most `limit` cells.
 *
 * @param isOwn whether a rubric version asked what the criterion asks now
 */
export function stripCells(
  steps: readonly ArmStep[],
  id: string,
  limit: number,
  isOwn: (rubricVersion: number) => boolean,
): readonly StripCell[] {
  return downSample(steps, limit).flatMap((step, slot) => {
    const row = criterionOf(step, id);
    if (row === undefined) return [];
    const { passRate, state, alpha } = row;
    return [{ slot, step: step.step, passRate, state, alpha, own: isOwn(step.rubricVersion) }];
  });
}

/** Places of a strip: bars keep theirs while the run goes on. */
export function slotCount(cells: readonly StripCell[], maxSteps: number, limit: number): number {
  return Math.max((cells.at(-1)?.slot ?? 0) + 1, Math.min(maxSteps, limit), 1);
}
