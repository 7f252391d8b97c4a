/** Round axis ticks. Pure. */

const STEPS = [1, 2, 2.5, 5, 10] as const;

/**
 * Ticks that enclose the values, about `count` of them, at round distances; [0, 1] for no values. They span at least
 * `leastSpan`, so that noise is not drawn as tall as an effect.
 */
export function axisTicks(values: readonly number[], count: number, leastSpan = 0): readonly number[] {
  const finite = values.filter((value) => Number.isFinite(value));
  if (finite.length === 0) return [0, 0.5, 1];
  let low = Math.min(...finite);
  let high = Math.max(...finite);
  const short = (leastSpan - (high - low)) / 2;
  if (short > 0) [low, high] = [low >= 0 ? Math.max(0, low - short) : low - short, high + short];
  if (high - low < 1e-9) {
    const pad = Math.max(Math.abs(low) * 0.1, 0.01);
    [low, high] = [low - (low === 0 ? 0 : pad), high + pad];
  }
  const raw = (high - low) / Math.max(1, count - 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * (STEPS.find((factor) => factor * power >= raw * 0.999) ?? 10);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** A tick with as many decimals as its neighbours need. */
export function tickText(value: number, ticks: readonly number[]): string {
  const step = Math.abs((ticks[1] ?? 1) - (ticks[0] ?? 0));
  if (step >= 1e5 || (step > 0 && step < 1e-4)) return value.toExponential(1).replace("-", "\u2212");
  const decimals =
    [0, 1, 2, 3, 4, 5].find((n) => Math.abs(step * 10 ** n - Math.round(step * 10 ** n)) < 1e-6) ?? 5;
  return value.toFixed(decimals).replace("-", "\u2212");
}
