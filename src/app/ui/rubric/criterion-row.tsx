/** One criterion: what is edited and what is watched, in the same row. */
import { useDeferredValue, useMemo, useState, type KeyboardEvent } from "react";
import type { Criterion } from "../../../domain/rubric/schema.ts";
import { criterionOf, downSample, stripCells } from "../../store/series.ts";
import { useActions, useApp, usePage } from "../app-context.ts";
import { number, percent } from "../format.ts";
import type { ArmLook } from "../parts/arm.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { useText } from "../text/text-context.ts";
import { AlphaCell } from "./alpha-cell.tsx";
import { PassStrip, STRIP_CELLS } from "./pass-strip.tsx";

interface RowProps {
  readonly criterion: Criterion;
  readonly arms: readonly ArmLook[];
  /** Each arm's share of its reward on this criterion, arms in order; null before it is known. */
  readonly pressures: readonly (number | null)[];
  readonly onEdit: (criterion: Criterion) => void;
}

export function CriterionRow({ criterion, arms, pressures, onEdit }: RowProps) {
  const text = useText().rubric;
  const { id } = criterion;
  const actions = useActions();
  const lit = useApp((state) => state.hovered === id || state.pinnedCriterion === id);
  return (
    <tr
      className={lit ? "criterion-row lit" : "criterion-row"}
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
          {criterion.check === null && (
            <span className="badge warn" data-tip={text.needsJudgeWhy}>
              {text.needsJudge}
            </span>
          )}
        </div>
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
      <NowCells id={id} />
      <HistoryCells id={id} name={criterion.text} />
      <td className="cell-pressure">
        <PressureBars arms={arms} pressures={pressures} />
      </td>
    </tr>
  );
}

function WeightField({ criterion }: { readonly criterion: Criterion }) {
  const text = useText().rubric;
  const actions = useActions();
  const [draft, setDraft] = useState<string | null>(null);
  const commit = (): void => {
    const weight = Number((draft ?? "").replace(",", "."));
    if (draft !== null && draft.trim() !== "" && Number.isFinite(weight) && weight >= 0) {
      actions.setWeight(criterion.id, weight);
    }
    setDraft(null);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === "Enter") commit();
    if (event.key === "Escape") setDraft(null);
    const by = event.key === "ArrowUp" ? 1 : event.key === "ArrowDown" ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    actions.setWeight(criterion.id, Math.max(0, criterion.weight + by));
    setDraft(null);
  };
  return (
    <input
      className="weight-field"
      inputMode="decimal"
      aria-label={text.weightOf(criterion.text)}
      value={draft ?? String(criterion.weight)}
      onChange={(event) => {
        setDraft(event.target.value);
      }}
      onFocus={(event) => {
        event.target.select();
      }}
      onBlur={commit}
      onKeyDown={onKey}
    />
  );
}

/** Pass rate and state now: of the focused arm's newest step, before any step of the base's evaluation. */
function NowCells({ id }: { readonly id: string }) {
  const text = useText().rubric;
  const { app } = usePage();
  const row = useApp((state) => criterionOf(state.latest[state.focusArm], id));
  const noisy = useApp((state) => (state.spec?.judgeNoise ?? 0) > 0);
  useApp((state) => state.rowsVersion);
  const base = app.buffer.evaluations(useApp((state) => state.focusArm)).at(-1);
  const baseRate = base?.criteria.find((criterion) => criterion.id === id)?.passRate ?? null;
  const rate = row === undefined ? baseRate : row.passRate;
  const before = row?.passRateBeforeNoise ?? null;
  return (
    <>
      <td className="cell-passes">
        {noisy && before !== null && (
          <span className="before-noise" data-tip={text.beforeNoise(percent(before))}>
            {percent(before)}
          </span>
        )}
        <span>{percent(rate)}</span>
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

/** The two small pictures of the past, drawn when there is time. */
function HistoryCells({ id, name }: { readonly id: string; readonly name: string }) {
  const text = useText().rubric;
  const { app } = usePage();
  const version = useDeferredValue(useApp((state) => state.rowsVersion));
  const focus = useDeferredValue(useApp((state) => state.focusArm));
  const maxSteps = useApp((state) => state.run.maxSteps);
  const learnsAlpha = useApp((state) => state.spec?.arms.find((arm) => arm.rule === "pow3r"));
  const history = useMemo(() => {
    const alphaSteps = learnsAlpha === undefined ? [] : app.buffer.steps(learnsAlpha.id);
    const alphas = downSample(alphaSteps, 64).flatMap((step) => criterionOf(step, id)?.alpha ?? []);
    return { version, cells: stripCells(app.buffer.steps(focus), id, STRIP_CELLS), alphas };
  }, [app.buffer, version, focus, id, learnsAlpha]);
  const first = history.cells[0]?.passRate;
  const last = history.cells.at(-1)?.passRate;
  const pow3r = learnsAlpha?.pow3r;
  return (
    <>
      <td className="cell-strip">
        <PassStrip
          cells={history.cells}
          maxSteps={maxSteps}
          label={`${name}: ${text.rates(percent(first), percent(last))}`}
        />
      </td>
      <td className="cell-alpha">
        {pow3r === undefined ? (
          <span className="soft">–</span>
        ) : (
          <AlphaCell
            path={history.alphas}
            maxSteps={maxSteps}
            bounds={[pow3r.alpha_min, pow3r.alpha_max]}
            label={text.alphaNow(number(history.alphas.at(-1)))}
          />
        )}
      </td>
    </>
  );
}

/** Bars on one scale for all rows: the whole width is 30 % of the reward. */
const FULL_WIDTH_SHARE = 0.3;

function PressureBars({ arms, pressures }: Pick<RowProps, "arms" | "pressures">) {
  const text = useText().rubric;
  const label = arms.map((arm, i) => text.pressureOf(arm.name, percent(pressures[i]))).join(", ");
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
