/** A criterion's pass rate step by step: one bar a step, coloured and shaped by its state then. */
import { memo } from "react";
import type { CriterionState } from "../../../domain/run/records.ts";
import type { StripCell } from "../../store/series.ts";

/** At most this many bars; longer runs are down-sampled. */
export const STRIP_CELLS = 64;
const WIDTH = 192;
const HEIGHT = 18;

/** One SVG path for all bars of a state. */
function bars(cells: readonly StripCell[], state: CriterionState, slots: number): string {
  const pitch = WIDTH / slots;
  const width = Math.max(1, pitch * 0.78);
  return cells
    .map((cell, i) => {
      if (cell.state !== state) return "";
      const x = (i * pitch).toFixed(1);
      if (cell.passRate === null) return "";
      const height = state === "dead" ? 2 : Math.max(1.5, HEIGHT * cell.passRate);
      const y = state === "dead" && cell.passRate < 0.15 ? HEIGHT / 2 - 1 : HEIGHT - height;
      return `M${x} ${y.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}h-${width.toFixed(1)}z`;
    })
    .join("");
}

const FILL: Readonly<Record<CriterionState, string>> = {
  dead: "var(--dead)",
  saturated: "var(--saturated)",
  learning: "var(--learning)",
  unseen: "var(--unseen)",
};

interface StripProps {
  readonly cells: readonly StripCell[];
  /** Steps the strip has room for: bars keep their place while the run goes on. */
  readonly maxSteps: number;
  readonly label: string;
}

export const PassStrip = memo(function PassStrip({ cells, maxSteps, label }: StripProps) {
  const slots = Math.max(cells.length, Math.min(maxSteps, STRIP_CELLS), 1);
  return (
    <svg
      className="pass-strip"
      viewBox={`0 0 ${String(WIDTH)} ${String(HEIGHT)}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <line x1="0" x2={WIDTH} y1={HEIGHT - 0.25} y2={HEIGHT - 0.25} stroke="var(--line)" strokeWidth="0.5" />
      {(["dead", "saturated", "learning", "unseen"] as const).map((state) => (
        <path
          key={state}
          d={bars(cells, state, slots)}
          fill={FILL[state]}
          fillOpacity={state === "saturated" ? 0.55 : 0.95}
        />
      ))}
    </svg>
  );
});
