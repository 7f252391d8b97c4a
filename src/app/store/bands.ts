/**
 * Mean and band over seeds, step by step, of the steps that every seed has: a mean over fewer seeds would jump when the last
 * one comes. With one seed, the plain series. Pure.
 */
import { meanInterval } from "../../domain/experiment/seed-statistics.ts";
import type { ArmStep, Evaluation } from "../../domain/run/records.ts";
import type { RunBuffer } from "./run-buffer.ts";
import { downSample, evaluationSeries, keysOf, metricSeries, POINT_LIMIT } from "./series.ts";
import type { MeasureOf, Point } from "./series.ts";

/** The point's keys of a line's band. */
export const lowKey = (line: string): string => `~low ${line}`;
export const highKey = (line: string): string => `~high ${line}`;

interface Spread {
  readonly mean: number | null;
  /** null where fewer than two seeds have a number. */
  readonly low: number | null;
  readonly high: number | null;
}

/** Mean with its 95 % t-interval; of two values, which are too few for one, the values themselves. */
export function spreadOf(values: readonly (number | null)[]): Spread {
  const there = values.filter((value) => value !== null);
  if (there.length === 0) return { mean: null, low: null, high: null };
  const interval = meanInterval(there);
  return there.length === 2 ? { ...interval, low: Math.min(...there), high: Math.max(...there) } : interval;
}

interface SeedLine<Row> {
  readonly key: string;
  /** [seeds][rows], rows in the order of their steps. */
  readonly seeds: readonly (readonly Row[])[];
  readonly value: (row: Row) => number | null;
  readonly measure: MeasureOf<Row> | null;
}

/** [{x, <key>: mean, <low key>, <high key>}], x ascending. */
function joinBands<Row extends { readonly step: number }>(lines: readonly SeedLine<Row>[]): readonly Point[] {
  const limit = Math.floor(POINT_LIMIT / Math.max(1, lines.length));
  const byStep = new Map<number, Record<string, number | null> & { x: number }>();
  for (const { key, seeds, value, measure } of lines) {
    const common = Math.min(...seeds.map((rows) => rows.length));
    const shown = downSample([...(seeds[0] ?? []).slice(0, common).entries()], limit);
    const keys = keysOf(
      key,
      shown.map(([, row]) => row),
      measure,
    );
    shown.forEach(([at, row], i) => {
      const point = byStep.get(row.step) ?? { x: row.step };
      const own = keys[i] ?? key;
      const { mean, low, high } = spreadOf(
        seeds.map((rows) => {
          const there = rows[at];
          return there === undefined ? null : value(there);
        }),
      );
      point[own] = mean;
      if (low !== null && high !== null) Object.assign(point, { [lowKey(own)]: low, [highKey(own)]: high });
      byStep.set(row.step, point);
    });
  }
  return [...byStep.values()].sort((a, b) => a.x - b.x);
}

/** A held-out figure of every arm, over all seeds. */
export function evaluationBands(
  buffer: RunBuffer,
  arms: readonly string[],
  value: (row: Evaluation) => number | null,
  measure: MeasureOf<Evaluation> | null = null,
): readonly Point[] {
  if (buffer.seedCount() < 2) return evaluationSeries(buffer, arms, value, measure);
  return joinBands(arms.map((key) => ({ key, seeds: buffer.evaluationsBySeed(key), value, measure })));
}

/** A metric of the training steps of every arm, over all seeds. */
export function metricBands(
  buffer: RunBuffer,
  arms: readonly string[],
  metric: string,
  measure: MeasureOf<ArmStep> | null = null,
): readonly Point[] {
  if (buffer.seedCount() < 2) return metricSeries(buffer, arms, metric, measure);
  const value = (row: ArmStep): number | null => row.metrics[metric] ?? null;
  return joinBands(arms.map((key) => ({ key, seeds: buffer.stepsBySeed(key), value, measure })));
}
