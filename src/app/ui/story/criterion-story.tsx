/** The story of one criterion: rate, variance, alpha and pressure over the steps, and answers that met it or did not. */
import { useState } from "react";
import type { Criterion } from "../../../domain/rubric/schema.ts";
import type { ArmStep, CriterionStep, Rollout } from "../../../domain/run/records.ts";
import { hasJudge } from "../../store/planned-pressures.ts";
import { meanings, ownRow } from "../../store/rubric-history.ts";
import { criterionSeries } from "../../store/series.ts";
import { useActions, useApp } from "../app-context.ts";
import { percent } from "../format.ts";
import { StepChart } from "../learning/step-chart.tsx";
import { readOut } from "../learning/learning-charts.tsx";
import { useRows } from "../learning/use-rows.ts";
import { ArmKey, useArms } from "../parts/arm.tsx";
import { JudgeBadge } from "../parts/judge-badge.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { Explained } from "../parts/term.tsx";
import { CriterionEditor } from "../rubric/criterion-editor.tsx";
import { useText } from "../text/text-context.ts";
import "./story.css";

export function CriterionStory({ criterion }: { readonly criterion: Criterion }) {
  const text = useText();
  const actions = useActions();
  const [editing, setEditing] = useState(false);
  const close = (): void => {
    actions.pinCriterion(null);
  };
  if (editing) return <CriterionEditor criterion={criterion} isNew={false} onClose={close} />;
  return (
    <Sheet
      title={criterion.text}
      onClose={close}
      foot={
        <button
          type="button"
          className="pill"
          onClick={() => {
            setEditing(true);
          }}
        >
          {text.story.edit}
        </button>
      }
    >
      <StateNow criterion={criterion} />
      <StoryCharts criterion={criterion} />
      <Samples id={criterion.id} />
    </Sheet>
  );
}

/** The name of the arm in focus. */
function useFocusName(): string {
  const focus = useApp((state) => state.focusArm);
  return useArms().find((arm) => arm.id === focus)?.name ?? focus;
}

function StateNow({ criterion }: { readonly criterion: Criterion }) {
  const text = useText();
  const arm = useFocusName();
  const row = useApp((state) => ownRow(state.versions, state.latest[state.focusArm], criterion));
  const isRead = useApp(hasJudge) || criterion.check !== null;
  return (
    <p className="story-state">
      <JudgeBadge criterion={criterion} />
      {!isRead && <span className="soft">{text.rubric.needsJudgeWhy}</span>}
      {row === undefined && isRead && <span className="soft">{text.story.before}</span>}
      {row !== undefined && (
        <>
          <StateMark state={row.state} />
          <span>{text.story.now(arm, percent(row.passRate))}</span>
          <span className="soft">{row.reason}</span>
        </>
      )}
    </p>
  );
}

function StoryCharts({ criterion }: { readonly criterion: Criterion }) {
  const text = useText();
  const arms = useArms();
  const rules = useApp((state) => state.spec?.arms);
  const { buffer, maxStep } = useRows();
  const meaning = meanings(useApp((state) => state.versions));
  const learners = arms.filter((arm) => rules?.some(({ id, rule }) => id === arm.id && rule === "pow3r"));
  const { passes, alpha, pressure } = text.terms;
  const figures = [
    { name: text.story.passRate, means: passes.means, arms, value: (row: CriterionStep) => row.passRate },
    {
      name: text.story.variance,
      means: text.story.varianceMeans,
      arms,
      value: (row: CriterionStep) => row.variance,
    },
    { name: alpha.label, means: alpha.means, arms: learners, value: (row: CriterionStep) => row.alpha },
    { name: pressure.label, means: pressure.means, arms, value: (row: CriterionStep) => row.pressure },
  ].filter((figure) => figure.arms.length > 0);
  const judged = (value: (row: CriterionStep) => number | null) => (row: CriterionStep) =>
    row.judged === 0 ? null : value(row);
  return (
    <div className="charts">
      <ArmKey arms={arms} />
      {figures.map((figure) => {
        const ids = figure.arms.map((arm) => arm.id);
        const measure = (step: ArmStep): string => meaning(step, criterion.id);
        const points = criterionSeries(buffer, ids, {
          id: criterion.id,
          value: judged(figure.value),
          measure,
        });
        return (
          <figure key={figure.name}>
            <figcaption>
              <Explained means={figure.means}>{figure.name}</Explained>
            </figcaption>
            <StepChart
              points={points}
              lines={figure.arms}
              maxStep={maxStep}
              height={112}
              label={readOut(points, figure.arms)}
              edits={buffer.edits()}
            />
          </figure>
        );
      })}
    </div>
  );
}

/** A passing and a failing answer of the newest group of the arm in focus. */
function Samples({ id }: { readonly id: string }) {
  const text = useText().story;
  const arm = useFocusName();
  const groups = useApp((state) => state.groups[state.focusArm]);
  const all = (groups ?? []).flatMap((group) => {
    const at = group.criterionIds.indexOf(id);
    return group.rollouts.map((rollout) => ({
      rollout,
      verdict: rollout.verdicts[at] ?? null,
      reason: rollout.reasons[at],
    }));
  });
  const passing = all.filter(({ verdict }) => verdict === 1).slice(0, 2);
  const failing = all.filter(({ verdict }) => verdict !== null && verdict < 1).slice(0, 2);
  return (
    <div className="story-samples">
      <h3>{text.sample(arm)}</h3>
      <SampleList title={text.passing} kind="pass" samples={passing} />
      <SampleList title={text.failing} kind="fail" samples={failing} />
    </div>
  );
}

function SampleList(props: {
  readonly title: string;
  readonly kind: "pass" | "fail";
  readonly samples: readonly { readonly rollout: Rollout; readonly reason: string | undefined }[];
}) {
  const text = useText().story;
  return (
    <div>
      <h4>
        <i className={`verdict-dot ${props.kind}`} aria-hidden /> {props.title}
      </h4>
      {props.samples.length === 0 && <p className="soft">{text.none}</p>}
      {props.samples.map(({ rollout, reason }, i) => (
        <p key={i}>
          {rollout.text} <span className="soft">({reason})</span>
        </p>
      ))}
    </div>
  );
}
