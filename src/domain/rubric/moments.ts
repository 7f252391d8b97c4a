/** Means and spreads of numbers that may be missing. A missing value is left out, never counted as 0. */

/** A number that could not be had is null. */
export type Maybe = number | null;

/** What is there of a list. */
export function present(values: readonly Maybe[]): number[] {
  return values.filter((value): value is number => value !== null);
}

/** Mean of what is there; null when nothing is. */
export function meanOf(values: readonly Maybe[]): Maybe {
  const there = present(values);
  if (there.length === 0) return null;
  return there.reduce((sum, value) => sum + value, 0) / there.length;
}

/** Population variance (divisor n) of what is there; exactly 0 for equal values, null when nothing is there. */
export function populationVariance(values: readonly Maybe[]): Maybe {
  const there = present(values);
  const mean = meanOf(there);
  if (mean === null) return null;
  if (there.every((value) => value === there[0])) return 0;
  return there.reduce((sum, value) => sum + (value - mean) ** 2, 0) / there.length;
}

/** Standard deviation with divisor n - 1, as TRL's `nanstd`; null for fewer than two values. */
export function sampleStd(values: readonly Maybe[]): Maybe {
  const there = present(values);
  const variance = populationVariance(there);
  if (variance === null || there.length < 2) return null;
  return Math.sqrt((variance * there.length) / (there.length - 1));
}

/** One column of a matrix with rows of equal length. */
export function columnOf(rows: readonly (readonly Maybe[])[], index: number): Maybe[] {
  return rows.map((row) => row[index] ?? null);
}
