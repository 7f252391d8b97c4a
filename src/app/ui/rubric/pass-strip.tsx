/** A criterion's pass rate step by step: one bar a step, coloured and shaped by its state then. */
import { memo } from "react";
import type { CriterionState } from "../../../domain/run/records.ts";
import { slotCount, type StripCell } from "../../store/series.ts";

/** At most this many bars; longer runs are down-sampled. */
export const STRIP_CELLS = 64;
const WIDTH = 192;
const HEIGHT = 18;

/** One SVG path for all bars of a state; what the criterion asked before its check changed is drawn apart. */
function bars(cells: readonly StripCell[], state: CriterionState, own: boolean, slots: number): string {
  const pitch = WIDTH / slots;
  const width = Math.max(1, pitch * 0.78).toFixed(1);
  return cells
    .map((cell) => {
      if (cell.state !== state || cell.own !== own || cell.passRate === null) return "";
      const height = Math.max(1.5, HEIGHT * cell.passRate);
      const corner = `${(cell.slot * pitch).toFixed(1)} ${(HEIGHT - height).toFixed(1)}`;
      return `M${corner}h${width}v${height.toFixed(1)}h-${width}z`;
    })
    .join("");
}

const FILL: Readonly<Record<CriterionState, string>> = {
  dead: "var(--dead)",
  saturated: "var(--saturated)",
  learning: "var(--learning)",
  unseen: "var(--unseen)",
};

const STATES = ["dead", "saturated", "learning", "unseen"] as const satisfies readonly CriterionState[];
const OPACITY: Readonly<Record<CriterionState, number>> = {
  dead: 0.95,
  saturated: 0.55,
  learning: 0.95,
  unseen: 0.95,
};

interface StripProps {
  readonly cells: readonly StripCell[];
  /** Steps the strip has room for: bars keep their place while the run goes on. */
  readonly maxSteps: number;
  readonly label: string;
  readonly tip: string;
}

export const PassStrip = memo(function PassStrip({ cells, maxSteps, label, tip }: StripProps) {
  const slots = slotCount(cells, maxSteps, STRIP_CELLS);
  const anew = cells.find((cell, i) => cell.own && cells[i - 1]?.own === false);
  return (
    <svg
      className="pass-strip"
      viewBox={`0 0 ${String(WIDTH)} ${String(HEIGHT)}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      data-tip={tip}
    >
      <line x1="0" x2={WIDTH} y1={HEIGHT - 0.25} y2={HEIGHT - 0.25} stroke="var(--line)" strokeWidth="0.5" />
      {STATES.map((state) => (
        <path
          key={state}
          d={bars(cells, state, true, slots)}
          fill={FILL[state]}
          fillOpacity={OPACITY[state]}
        />
      ))}
      {STATES.map((state) => (
        <path
          key={`${state}-before`}
          d={bars(cells, state, false, slots)}
          fill={FILL[state]}
          fillOpacity={0.25}
        />
      ))}
      {anew !== undefined && (
        <line
          x1={(anew.slot * WIDTH) / slots - 0.6}
          x2={(anew.slot * WIDTH) / slots - 0.6}
          y1="0"
          y2={HEIGHT}
          stroke="var(--ink)"
          strokeWidth="0.8"
        />
      )}
    </svg>
  );
});
