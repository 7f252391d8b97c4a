/** Scores and factors as the simulator writes them: differences stand in the third digit, so scores have three. Pure. */

const MINUS = "\u2212";

/** .570, or a dash. */
export function scoreText(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  return value
    .toFixed(3)
    .replace(/^(-?)0\./, "$1.")
    .replace("-", MINUS);
}

/** +.012; what rounds to nothing has no side. */
export function gainText(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = scoreText(Math.abs(value));
  if (size === ".000") return "±.000";
  return (value < 0 ? MINUS : "+") + size;
}

/** 1.80×, or a dash. */
export function factorText(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  return `${value >= 9.995 ? value.toPrecision(2) : value.toFixed(2)}×`;
}

/** A step, which a median can put between two. */
export function stepText(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}
