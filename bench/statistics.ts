/** Medians, spreads, ratios and fitted exponents of measured numbers. Pure: knows no clock and no engine. */

/** Which way is better: more (tokens/s) or less (seconds, bytes). */
export type Better = "higher" | "lower";

/** The q-th quantile (0 to 1) with linear interpolation between neighbours. @throws Error without values. */
export function quantile(values: readonly number[], q: number): number {
  if (values.length === 0) throw new Error("no values to take a quantile of");
  const sorted = [...values].sort((a, b) => a - b);
  const at = q * (sorted.length - 1);
  const low = Math.floor(at);
  const below = sorted[low] ?? NaN;
  const above = sorted[Math.ceil(at)] ?? NaN;
  return below + (at - low) * (above - below);
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Interquartile range over the median: the width of the middle half, as a share of the middle. */
export function relativeSpread(values: readonly number[]): number {
  return (quantile(values, 0.75) - quantile(values, 0.25)) / median(values);
}

/** Above 1 where ours is better. */
export function ratioOf(ours: number, peer: number, better: Better): number {
  return better === "higher" ? ours / peer : peer / ours;
}

export interface Compared {
  readonly ours: number;
  readonly peer: number;
  /** Median of the ratios of the pairs, not ratio of the medians: each pair saw the same machine. */
  readonly ratio: number;
  /** Relative spread of the pairs' ratios. */
  readonly spread: number;
}

/** Medians of pairs that were measured in turn. @throws Error without pairs. */
export function comparePairs(
  pairs: readonly { readonly ours: number; readonly peer: number }[],
  better: Better,
): Compared {
  const ratios = pairs.map(({ ours, peer }) => ratioOf(ours, peer, better));
  return {
    ours: median(pairs.map((pair) => pair.ours)),
    peer: median(pairs.map((pair) => pair.peer)),
    ratio: median(ratios),
    spread: relativeSpread(ratios),
  };
}

/** y = scale * x^exponent by least squares on the logarithms. @throws Error with fewer than two different x. */
export function fitPowerLaw(points: readonly (readonly [x: number, y: number])[]): {
  readonly exponent: number;
  readonly scale: number;
} {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const);
  const n = logs.length;
  const meanX = logs.reduce((sum, [x]) => sum + x, 0) / n;
  const meanY = logs.reduce((sum, [, y]) => sum + y, 0) / n;
  const varX = logs.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  if (!(varX > 0)) throw new Error("a fit needs two different sizes");
  const exponent = logs.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / varX;
  return { exponent, scale: Math.exp(meanY - exponent * meanX) };
}
