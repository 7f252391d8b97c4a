/** Every criterion at every step: its state as colour and pattern, of the arm in focus. */
import type { CriterionState } from "../../../domain/run/records.ts";
import { sameMeaning } from "../../store/rubric-history.ts";
import { slotCount, stripCells, type StripCell } from "../../store/series.ts";
import { useActions, useApp } from "../app-context.ts";
import { useText } from "../text/text-context.ts";
import { useRows } from "./use-rows.ts";

const COLUMNS = 160;
const STATES = ["learning", "saturated", "dead", "unseen"] as const satisfies readonly CriterionState[];

/** Shape and colour of a cell: dead is a thin line, too little seen a short mark, the others are blocks. */
const SHAPE: Readonly<
  Record<CriterionState, { readonly y: number; readonly h: number; readonly fill: string }>
> = {
  learning: { y: 0, h: 12, fill: "var(--learning)" },
  saturated: { y: 0, h: 12, fill: "color-mix(in srgb, var(--saturated) 60%, transparent)" },
  dead: { y: 5, h: 2.4, fill: "var(--dead)" },
  unseen: { y: 8, h: 4, fill: "var(--unseen)" },
};

function cellsPath(cells: readonly StripCell[], state: CriterionState): string {
  const { y, h } = SHAPE[state];
  const cell = (slot: number): string => `M${String(slot * 5)} ${String(y)}h4.4v${String(h)}h-4.4z`;
  return cells.map((known) => (known.state === state ? cell(known.slot) : "")).join("");
}

export function StateStrip() {
  const text = useText();
  const actions = useActions();
  const { buffer, maxStep } = useRows();
  const criteria = useApp((state) => state.rubric.criteria);
  const focus = useApp((state) => state.focusArm);
  const versions = useApp((state) => state.versions);
  const lit = useApp((state) => state.hovered ?? state.pinnedCriterion);
  return (
    <div className="state-strip">
      {criteria.map((criterion) => {
        const isOwn = sameMeaning(versions, criterion);
        const all = stripCells(buffer.steps(focus), criterion.id, COLUMNS, isOwn);
        const cells = all.filter((cell) => cell.own && cell.passRate !== null);
        const slots = slotCount(all, maxStep, COLUMNS);
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
            {STATES.map((state) => (
              <path key={state} d={cellsPath(cells, state)} fill={SHAPE[state].fill} />
            ))}
          </svg>,
        ];
      })}
    </div>
  );
}
