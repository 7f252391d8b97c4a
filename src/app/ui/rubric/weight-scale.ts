/** What a weight's slider spans: the rubric's own scale. Pure. */

export interface WeightScale {
  readonly most: number;
  /** One press of an arrow key. */
  readonly step: number;
}

/** 0 to 1 where no weight is above it, as some published sets weigh; else 0 to 10, or to the largest weight. */
export function weightScale(weights: readonly number[]): WeightScale {
  const largest = Math.max(0, ...weights);
  if (largest <= 1) return { most: 1, step: 0.05 };
  return largest <= 10
    ? { most: 10, step: 0.5 }
    : { most: Math.ceil(largest), step: Math.ceil(largest / 20) };
}

/** A weight on the scale's steps. */
export function snapped(weight: number, { most, step }: WeightScale): number {
  const near = Number((Math.round(weight / step) * step).toFixed(4));
  return Math.min(most, Math.max(0, near));
}

/** The weight after a key; null for a key that moves nothing. */
export function keyedWeight(key: string, weight: number, scale: WeightScale): number | null {
  const steps: Readonly<Record<string, number>> = {
    ArrowUp: 1,
    ArrowRight: 1,
    ArrowDown: -1,
    ArrowLeft: -1,
    PageUp: 4,
    PageDown: -4,
  };
  if (key === "Home") return 0;
  if (key === "End") return scale.most;
  const by = steps[key];
  return by === undefined ? null : snapped(weight + by * scale.step, scale);
}
