/** One criterion: what is edited and what is watched, in the same row. */
import type { Criterion } from "../../../domain/rubric/schema.ts";
import { ownRow } from "../../store/rubric-history.ts";
import { useActions, useApp, usePage } from "../app-context.ts";
import { percent } from "../format.ts";
import type { ArmLook } from "../parts/arm.tsx";
import { Figure } from "../parts/figure.tsx";
import { JudgeBadge } from "../parts/judge-badge.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { useText } from "../text/text-context.ts";
import { HistoryCells } from "./history-cells.tsx";
import { MoveHandle } from "./move-handle.tsx";
import { overRow, useRowDrag, type RowDrag } from "./row-drag.ts";
import { WeightField } from "./weight-field.tsx";

interface RowProps {
  readonly criterion: Criterion;
  readonly arms: readonly ArmLook[];
  /** Each arm's share of its reward on this criterion, arms in order; null before it is known. */
  readonly pressures: readonly (number | null)[];
  readonly onEdit: (criterion: Criterion) => void;
}

export function CriterionRow({ criterion, arms, pressures, onEdit }: RowProps) {
  const { rubric: text, importing } = useText();
  const { id } = criterion;
  const actions = useActions();
  const lit = useApp((state) => state.hovered === id || state.pinnedCriterion === id);
  const drag = useRowDrag();
  return (
    <tr
      className={["criterion-row", lit ? "lit" : "", dragClass(drag, id)].join(" ")}
      data-row={id}
      {...drag.target(overRow(id))}
      onPointerEnter={() => {
        actions.hover(id);
      }}
      onPointerLeave={() => {
        actions.hover(null);
      }}
    >
      <th scope="row">
        <div>
          <button
            type="button"
            className="criterion-name"
            title={criterion.text}
            aria-label={text.story(criterion.text)}
            onFocus={() => {
              actions.hover(id);
            }}
            onBlur={() => {
              actions.hover(null);
            }}
            onClick={() => {
              actions.pinCriterion(id);
            }}
          >
            {criterion.text}
          </button>
          {criterion.required && (
            <span role="img" aria-label={text.required} data-tip={text.requiredMeans}>
              *
            </span>
          )}
          {criterion.penalty === true && (
            <span className="badge warn" data-tip={importing.penaltyMeans}>
              {importing.penalty}
            </span>
          )}
          <JudgeBadge criterion={criterion} />
        </div>
        <MoveHandle criterion={criterion} />
        <button
          type="button"
          className="edit-button"
          aria-label={text.edit(criterion.text)}
          onClick={() => {
            onEdit(criterion);
          }}
        >
          <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden>
            <path
              d="M11 2.5 13.5 5 5.5 13 2.5 13.5 3 10.5z"
              fill="none"
              stroke="currentColor"
              strokeWidth="1.3"
            />
          </svg>
        </button>
      </th>
      <td className="cell-weight">
        <WeightField criterion={criterion} />
      </td>
      <NowCells criterion={criterion} />
      <HistoryCells criterion={criterion} />
      <td className="cell-pressure">
        <PressureBars arms={arms} pressures={pressures} />
      </td>
    </tr>
  );
}

/** How a row shows that it is dragged, or that the dragged one would come above or below it. */
function dragClass({ dragged, over }: RowDrag, id: string): string {
  if (dragged === id) return "dragged";
  if (over?.kind !== "row" || over.id !== id) return "";
  return over.below ? "drop-below" : "drop-above";
}

/** Characters of ">99 %". */
const PERCENT = 5;

/** Pass rate and state now: of the focused arm's newest step, before any step of the base's evaluation. */
function NowCells({ criterion }: { readonly criterion: Criterion }) {
  const text = useText().rubric;
  const { app } = usePage();
  const row = useApp((state) => ownRow(state.versions, state.latest[state.focusArm], criterion));
  const started = useApp((state) => state.latest[state.focusArm] !== undefined);
  const noisy = useApp((state) => (state.spec?.judgeNoise ?? 0) > 0);
  useApp((state) => state.rowsVersion);
  const base = app.buffer.evaluations(useApp((state) => state.focusArm)).at(-1);
  const baseRate = base?.criteria.find((known) => known.id === criterion.id)?.passRate ?? null;
  const rate = started ? (row?.passRate ?? null) : baseRate;
  const before = row?.passRateBeforeNoise ?? null;
  return (
    <>
      <td className="cell-passes">
        {noisy && before !== null && (
          <span className="before-noise" data-tip={text.beforeNoise(percent(before))}>
            <Figure width={PERCENT}>{percent(before)}</Figure>
          </span>
        )}
        <Figure width={PERCENT}>{percent(rate)}</Figure>
      </td>
      <td className="cell-state">
        {row === undefined ? (
          <span className="soft">–</span>
        ) : (
          <StateMark state={row.state} reason={row.reason} />
        )}
      </td>
    </>
  );
}

/** Bars on one scale for all rows: the whole width is 30 % of the reward. */
const FULL_WIDTH_SHARE = 0.3;

function PressureBars({ arms, pressures }: Pick<RowProps, "arms" | "pressures">) {
  const text = useText().rubric;
  const known = pressures.some((share) => share !== null);
  const label = arms.map((arm, i) => text.pressureOf(arm.name, percent(pressures[i]))).join(", ");
  if (!known) return <span className="soft">–</span>;
  return (
    <span className="pressure-bars" role="img" aria-label={label} data-tip={label}>
      {arms.map((arm, i) => {
        const share = pressures[i] ?? 0;
        const width = `${Math.min(100, (share / FULL_WIDTH_SHARE) * 100).toFixed(1)}%`;
        return <i key={arm.id} style={{ width, background: arm.color }} />;
      })}
    </span>
  );
}
