/** Alpha's path and its value; the middle line is 1, on a scale of doublings between the bounds. */
import { memo } from "react";
import { slotCount, type StripCell } from "../../store/series.ts";
import { fixed } from "../format.ts";
import { Figure } from "../parts/figure.tsx";

const WIDTH = 46;
const HEIGHT = 18;
/** At most this many points; longer runs are down-sampled. */
export const ALPHA_POINTS = 64;

interface AlphaCellProps {
  /** One a step, oldest first. */
  readonly cells: readonly StripCell[];
  /** Of the newest step; null where it was another check's. */
  readonly now: number | null;
  readonly maxSteps: number;
  readonly bounds: readonly [number, number];
  readonly label: string;
}

export const AlphaCell = memo(function AlphaCell({ cells, now, maxSteps, bounds, label }: AlphaCellProps) {
  const reach = Math.max(Math.abs(Math.log2(bounds[0])), Math.abs(Math.log2(bounds[1])), 0.1);
  const slots = Math.max(slotCount(cells, maxSteps, ALPHA_POINTS), 2);
  const path = (own: boolean): string =>
    cells
      .map((cell, i) => {
        if (cell.own !== own) return "";
        const x = ((cell.slot * WIDTH) / (slots - 1)).toFixed(1);
        const y = (HEIGHT / 2 - (Math.log2(cell.alpha) / reach) * (HEIGHT / 2 - 1.5)).toFixed(1);
        return `${cells[i - 1]?.own === own ? "L" : "M"}${x} ${y}`;
      })
      .join("");
  return (
    <span className="alpha-cell" data-tip={label}>
      <svg viewBox={`0 0 ${String(WIDTH)} ${String(HEIGHT)}`} role="img" aria-label={label}>
        <line x1="0" x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} stroke="var(--line)" />
        <path d={path(false)} fill="none" stroke="var(--arm-pow3r)" strokeWidth="1.6" strokeOpacity="0.25" />
        <path d={path(true)} fill="none" stroke="var(--arm-pow3r)" strokeWidth="1.6" />
      </svg>
      <Figure width={4}>{fixed(now, now !== null && now >= 9.995 ? 1 : 2)}</Figure>
    </span>
  );
});
