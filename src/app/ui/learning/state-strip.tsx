/** Every criterion at every step: its state as colour and pattern, of the arm in focus. */
import { useId } from "react";
import type { CriterionState } from "../../../domain/run/records.ts";
import { stripCells, type StripCell } from "../../store/series.ts";
import { useActions, useApp } from "../app-context.ts";
import { StatePatterns } from "../parts/state-mark.tsx";
import { useText } from "../text/text-context.ts";
import { useRows } from "./use-rows.ts";

const COLUMNS = 160;
const STATES = ["learning", "saturated", "dead", "unseen"] as const satisfies readonly CriterionState[];

function cellsPath(cells: readonly StripCell[], state: CriterionState): string {
  return cells.map((cell, i) => (cell.state === state ? `M${String(i * 5)} 0h4.4v12h-4.4z` : "")).join("");
}

export function StateStrip() {
  const text = useText();
  const actions = useActions();
  const id = useId().replaceAll(":", "");
  const { buffer, maxStep } = useRows();
  const criteria = useApp((state) => state.rubric.criteria);
  const focus = useApp((state) => state.focusArm);
  const lit = useApp((state) => state.hovered ?? state.pinnedCriterion);
  const fill: Readonly<Record<CriterionState, string>> = {
    learning: "var(--learning)",
    saturated: "var(--saturated)",
    dead: `url(#${id}-dead)`,
    unseen: `url(#${id}-unseen)`,
  };
  return (
    <div className="state-strip">
      {criteria.map((criterion) => {
        const cells = stripCells(buffer.steps(focus), criterion.id, COLUMNS);
        const slots = Math.max(cells.length, Math.min(maxStep, COLUMNS), 1);
        const last = cells.at(-1)?.state;
        return [
          <span
            key={`${criterion.id}-name`}
            className={criterion.id === lit ? "lit" : undefined}
            onPointerEnter={() => {
              actions.hover(criterion.id);
            }}
            onPointerLeave={() => {
              actions.hover(null);
            }}
          >
            {criterion.text}
          </span>,
          <svg
            key={criterion.id}
            viewBox={`0 0 ${String(slots * 5)} 12`}
            preserveAspectRatio="none"
            role="img"
            aria-label={`${criterion.text}: ${last === undefined ? text.missing : text.states[last]}`}
          >
            <StatePatterns id={id} />
            {STATES.map((state) => (
              <path key={state} d={cellsPath(cells, state)} fill={fill[state]} fillOpacity={0.85} />
            ))}
          </svg>,
        ];
      })}
    </div>
  );
}
