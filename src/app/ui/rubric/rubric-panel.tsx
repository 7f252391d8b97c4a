/** The rubric table: the dashboard. Rows by category with their mass; what is edited and what is watched are the same rows. */
import { lazy, useMemo, useState } from "react";
import { rewardRules } from "../../../domain/reward/registry.ts";
import { pressureOverPrompts } from "../../../domain/rubric/pressure.ts";
import { criterionSchema, type Criterion } from "../../../domain/rubric/schema.ts";
import { byCategory, type CategoryRows } from "../../store/rubric-edits.ts";
import { criterionOf } from "../../store/series.ts";
import { useActions, useApp } from "../app-context.ts";
import { percent } from "../format.ts";
import { ArmSwitch, useArms, type ArmLook } from "../parts/arm.tsx";
import { PartBoundary } from "../parts/part-boundary.tsx";
import { SeedSwitch } from "../parts/seed.tsx";
import { Term } from "../parts/term.tsx";
import { useText } from "../text/text-context.ts";
import { CriterionRow } from "./criterion-row.tsx";
import "./rubric.css";

const CriterionEditor = lazy(async () => ({
  default: (await import("./criterion-editor.tsx")).CriterionEditor,
}));
const TrySheet = lazy(async () => ({ default: (await import("./try-pane.tsx")).TrySheet }));

const COLUMNS = [
  ["criterion", "cell-name"],
  ["weight", "cell-weight"],
  ["passes", "cell-passes"],
  ["state", "cell-state"],
  ["passRate", "cell-strip"],
  ["alpha", "cell-alpha"],
  ["pressure", "cell-pressure"],
] as const;

type Open =
  { readonly kind: "edit" | "new"; readonly criterion: Criterion } | { readonly kind: "try" } | null;

export function RubricPanel() {
  const text = useText().rubric;
  const actions = useActions();
  const rubric = useApp((state) => state.rubric);
  const problem = useApp((state) => state.rubricProblem);
  const fromStep = useApp((state) => state.editFromStep);
  const focus = useApp((state) => state.focusArm);
  const arms = useArms();
  const [open, setOpen] = useState<Open>(null);
  const pressures = usePressures(arms);
  const close = (): void => {
    setOpen(null);
  };
  const edit = (criterion: Criterion): void => {
    setOpen({ kind: "edit", criterion });
  };
  return (
    <section className="card rubric" aria-labelledby="rubric-title">
      <div className="card-title">
        <h2 id="rubric-title">{text.title}</h2>
        <span className="soft">{fromStep === null ? text.hint : text.waits(fromStep)}</span>
        <span className="grow" />
        <SeedSwitch />
        <ArmSwitch arms={arms} focus={focus} label={text.focus} onFocus={actions.focusArm} />
      </div>
      {problem !== null && (
        <p className="form-problem" role="alert">
          {text.problem(problem)}
        </p>
      )}
      <div className="rubric-scroll">
        <table className="rubric-table">
          <thead>
            <tr>
              {COLUMNS.map(([term, className]) => (
                <th key={term} scope="col" className={className}>
                  <Term name={term} />
                </th>
              ))}
            </tr>
          </thead>
          {byCategory(rubric).map((rows) => (
            <CategoryBody key={rows.category} rows={rows} arms={arms} pressures={pressures} onEdit={edit} />
          ))}
        </table>
      </div>
      <RubricButtons
        onAdd={() => {
          const category = rubric.criteria.at(-1)?.category ?? text.title;
          const id = actions.newCriterionId();
          setOpen({
            kind: "new",
            criterion: { ...criterionSchema.parse({ id, text: "?", category, weight: 1 }), text: "" },
          });
        }}
        onTry={() => {
          setOpen({ kind: "try" });
        }}
      />
      <PartBoundary key={open?.kind} onClose={close}>
        {open?.kind === "try" && <TrySheet onClose={close} />}
        {open !== null && open.kind !== "try" && (
          <CriterionEditor criterion={open.criterion} isNew={open.kind === "new"} onClose={close} />
        )}
      </PartBoundary>
    </section>
  );
}

/** Arm id -> criterion id -> share of the reward: the newest step's, before it by the rule's formula with alpha 1. */
function usePressures(arms: readonly ArmLook[]): (id: string) => readonly (number | null)[] {
  const latest = useApp((state) => state.latest);
  const rubric = useApp((state) => state.rubric);
  const spec = useApp((state) => state.spec);
  const planned = useMemo(() => {
    const judged = rubric.criteria.map((each) => (each.check === null ? { ...each, weight: 0 } : each));
    const promptIds = (spec?.trainPrompts ?? []).map(({ id }) => id);
    return arms.map((arm) => {
      const rule = spec?.arms.find((known) => known.id === arm.id)?.rule;
      if (rule === undefined) return [];
      const { pressure } = rewardRules[rule];
      const atOne = (of: readonly Criterion[]): number[] =>
        pressure(
          of,
          judged.map(() => 1),
        );
      return pressureOverPrompts(atOne, judged, promptIds) ?? [];
    });
  }, [arms, rubric, spec]);
  return (id) =>
    arms.map((arm, i) => {
      const at = rubric.criteria.findIndex((criterion) => criterion.id === id);
      const row = criterionOf(latest[arm.id], id);
      if (rubric.criteria[at]?.check === null && (row?.judged ?? 0) === 0) return null;
      return latest[arm.id] === undefined ? (planned[i]?.[at] ?? null) : (row?.pressure ?? null);
    });
}

function CategoryBody(props: {
  readonly rows: CategoryRows;
  readonly arms: readonly ArmLook[];
  readonly pressures: (id: string) => readonly (number | null)[];
  readonly onEdit: (criterion: Criterion) => void;
}) {
  const text = useText().rubric;
  const { category, criteria } = props.rows;
  const focus = useApp((state) => state.focusArm);
  const at = props.arms.findIndex((arm) => arm.id === focus);
  const shares = criteria.map((criterion) => props.pressures(criterion.id)[at] ?? null);
  const mass = shares.every((share) => share === null)
    ? null
    : shares.reduce<number>((sum, s) => sum + (s ?? 0), 0);
  return (
    <tbody>
      <tr className="category-row">
        <th scope="rowgroup" colSpan={COLUMNS.length}>
          <span>
            <span>{category}</span>
            <Term name="mass">{text.mass(percent(mass))}</Term>
          </span>
        </th>
      </tr>
      {criteria.map((criterion) => (
        <CriterionRow
          key={criterion.id}
          criterion={criterion}
          arms={props.arms}
          pressures={props.pressures(criterion.id)}
          onEdit={props.onEdit}
        />
      ))}
    </tbody>
  );
}

function RubricButtons({ onAdd, onTry }: { readonly onAdd: () => void; readonly onTry: () => void }) {
  const text = useText().rubric;
  const actions = useActions();
  const canUndo = useApp((state) => state.undo.length > 0);
  return (
    <div className="rubric-buttons">
      <button type="button" className="pill small" onClick={onAdd}>
        {text.add}
      </button>
      <button type="button" className="pill small" onClick={onTry}>
        {text.tryIt}
      </button>
      <span className="grow" />
      <button type="button" className="pill small" disabled={!canUndo} onClick={actions.undoEdit}>
        {text.undo}
      </button>
      <button type="button" className="pill small" onClick={actions.restoreRubric}>
        {text.restore}
      </button>
    </div>
  );
}
