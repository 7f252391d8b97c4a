/** Numbers of the comparison in words: three decimals, as the paper's tables have, and a dash for what is missing. */
import type { Estimate } from "../../../domain/experiment/summary.ts";

const MINUS = "\u2212";

/** 0.642, −0.003; with its sign where asked. */
export function sayScore(value: number | null | undefined, sign = false): string {
  if (value === null || value === undefined) return "–";
  const plus = sign && value >= 0 ? "+" : "";
  return `${value < 0 ? MINUS : plus}${Math.abs(value).toFixed(3)}`;
}

/** 0.642 ± 0.012; without the half-width where there is one seed. */
export function sayEstimate(estimate: Estimate | undefined, sign = false): string {
  const mean = sayScore(estimate?.mean, sign);
  const half = estimate?.halfWidth ?? null;
  return half === null ? mean : `${mean} ± ${half.toFixed(3)}`;
}
