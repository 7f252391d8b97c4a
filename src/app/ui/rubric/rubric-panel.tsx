/** The rubric table: the dashboard. Rows by category with their mass; what is edited and what is watched are the same rows. */
import { lazy, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { criterionSchema, type Criterion } from "../../../domain/rubric/schema.ts";
import { hasJudge, plannedPressures } from "../../store/planned-pressures.ts";
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
import { RowDragProvider, useRowDrag, useRowDragState } from "./row-drag.ts";
import { RubricButtons, type RubricSheet } from "./rubric-buttons.tsx";
import type { SourceDraft } from "./source-sheet.tsx";
import "./rubric.css";

const CriterionEditor = lazy(async () => ({
  default: (await import("./criterion-editor.tsx")).CriterionEditor,
}));
const NotesSheet = lazy(async () => ({ default: (await import("./notes-sheet.tsx")).NotesSheet }));
const SourceSheet = lazy(async () => ({ default: (await import("./source-sheet.tsx")).SourceSheet }));
const TemplatesSheet = lazy(async () => ({
  default: (await import("./templates-sheet.tsx")).TemplatesSheet,
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
  { readonly kind: "edit" | "new"; readonly criterion: Criterion } | { readonly kind: RubricSheet } | null;

export function RubricPanel() {
  const text = useText().rubric;
  const actions = useActions();
  const rubric = useApp((state) => state.rubric);
  const problem = useApp((state) => state.rubricProblem);
  const fromStep = useApp((state) => state.editFromStep);
  const focus = useApp((state) => state.focusArm);
  const arms = useArms();
  const [open, setOpen] = useState<Open>(null);
  const table = useRef<HTMLTableElement>(null);
  const drag = useRowDragState(table);
  const pressures = usePressures(arms);
  const edit = (criterion: Criterion): void => {
    setOpen({ kind: "edit", criterion });
  };
  const add = (): void => {
    const category = rubric.criteria.at(-1)?.category ?? text.title;
    const id = actions.newCriterionId();
    const blank = criterionSchema.parse({ id, text: "?", category, weight: 1 });
    setOpen({ kind: "new", criterion: { ...blank, text: "" } });
  };
  return (
    <section className="card rubric" aria-labelledby="rubric-title" onKeyDown={useUndoKeys()}>
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
      <RowDragProvider value={drag}>
        <div className="rubric-scroll">
          <table ref={table} className="rubric-table">
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
      </RowDragProvider>
      <p role="status" className="only-read">
        {drag.said}
      </p>
      <RubricButtons
        onAdd={add}
        onOpen={(kind) => {
          setOpen({ kind });
        }}
      />
      <OpenSheet open={open} onOpen={setOpen} />
    </section>
  );
}

interface OpenSheetProps {
  readonly open: Open;
  readonly onOpen: (open: Open) => void;
}

/** What opens above the table; each comes as a chunk of its own. */
function OpenSheet({ open, onOpen }: OpenSheetProps) {
  const [draft, setDraft] = useState<SourceDraft | null>(null);
  const close = (): void => {
    onOpen(null);
  };
  const edit = (criterion: Criterion): void => {
    onOpen({ kind: "edit", criterion });
  };
  const sheet = (): ReactNode => {
    if (open === null) return null;
    switch (open.kind) {
      case "try":
        return <TrySheet onClose={close} />;
      case "source":
        return <SourceSheet draft={draft} onDraft={setDraft} onClose={close} />;
      case "templates":
        return <TemplatesSheet onClose={close} />;
      case "notes":
        return <NotesSheet onEdit={edit} onClose={close} />;
      case "edit":
      case "new":
        return <CriterionEditor criterion={open.criterion} isNew={open.kind === "new"} onClose={close} />;
    }
  };
  return (
    <PartBoundary key={open?.kind} onClose={close}>
      {sheet()}
    </PartBoundary>
  );
}

/** Ctrl Z and Ctrl Shift Z (or Ctrl Y) in the table; a field that is being written keeps its own. */
function useUndoKeys(): (event: KeyboardEvent) => void {
  const actions = useActions();
  return (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    if (!(event.target instanceof Element) || event.target.closest("dialog") !== null) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    if (key === "y" || event.shiftKey) actions.redoEdit();
    else actions.undoEdit();
  };
}

/** Arm id -> criterion id -> share of the reward: the newest step's, before it by the rule's formula with alpha 1. */
function usePressures(arms: readonly ArmLook[]): (id: string) => readonly (number | null)[] {
  const latest = useApp((state) => state.latest);
  const rubric = useApp((state) => state.rubric);
  const spec = useApp((state) => state.spec);
  const judged = useApp(hasJudge);
  const planned = useMemo(() => {
    const promptIds = (spec?.trainPrompts ?? []).map(({ id }) => id);
    return arms.map((arm) => {
      const rule = spec?.arms.find((known) => known.id === arm.id)?.rule;
      return rule === undefined ? [] : plannedPressures(rubric.criteria, rule, promptIds, judged);
    });
  }, [arms, rubric, spec, judged]);
  return (id) =>
    arms.map((arm, i) => {
      const at = rubric.criteria.findIndex((criterion) => criterion.id === id);
      if (latest[arm.id] === undefined) return planned[i]?.[at] ?? null;
      const row = criterionOf(latest[arm.id], id);
      if (rubric.criteria[at]?.check === null && (row?.judged ?? 0) === 0) return null;
      return row?.pressure ?? null;
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
  const drag = useRowDrag();
  const isOver = drag.over?.kind === "category" && drag.over.category === category;
  const focus = useApp((state) => state.focusArm);
  const at = props.arms.findIndex((arm) => arm.id === focus);
  const shares = criteria.map((criterion) => props.pressures(criterion.id)[at] ?? null);
  const mass = shares.every((share) => share === null)
    ? null
    : shares.reduce<number>((sum, s) => sum + (s ?? 0), 0);
  return (
    <tbody>
      <tr
        className={isOver ? "category-row drop-below" : "category-row"}
        data-category={category}
        {...drag.target(() => ({ kind: "category", category }))}
      >
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
