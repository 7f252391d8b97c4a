/** Alpha's path and its value; the middle line is 1, on a scale of doublings between the bounds. */
import { memo } from "react";
import { number } from "../format.ts";

const WIDTH = 46;
const HEIGHT = 18;

interface AlphaCellProps {
  /** One value a step, oldest first. */
  readonly path: readonly number[];
  readonly maxSteps: number;
  readonly bounds: readonly [number, number];
  readonly label: string;
}

export const AlphaCell = memo(function AlphaCell({ path, maxSteps, bounds, label }: AlphaCellProps) {
  const reach = Math.max(Math.abs(Math.log2(bounds[0])), Math.abs(Math.log2(bounds[1])), 0.1);
  const slots = Math.max(path.length, Math.min(maxSteps, 64), 2);
  const points = path.map((alpha, i) => {
    const x = (i * WIDTH) / (slots - 1);
    const y = HEIGHT / 2 - (Math.log2(alpha) / reach) * (HEIGHT / 2 - 1.5);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <span className="alpha-cell">
      <svg viewBox={`0 0 ${String(WIDTH)} ${String(HEIGHT)}`} role="img" aria-label={label}>
        <line x1="0" x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} stroke="var(--line)" />
        <polyline points={points.join(" ")} fill="none" stroke="var(--arm-pow3r)" strokeWidth="1.6" />
      </svg>
      <span>{number(path.at(-1))}</span>
    </span>
  );
});
