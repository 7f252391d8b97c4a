/** The story of one criterion: rate, variance, alpha and pressure over the steps, and answers that met it or did not. */
import { useState } from "react";
import type { Criterion } from "../../../domain/rubric/schema.ts";
import type { ArmStep, CriterionStep, Rollout } from "../../../domain/run/records.ts";
import { criterionOf, downSample, POINT_LIMIT, type Point } from "../../store/series.ts";
import { useActions, useApp } from "../app-context.ts";
import { percent } from "../format.ts";
import { StepChart } from "../learning/step-chart.tsx";
import { readOut } from "../learning/learning-charts.tsx";
import { useRows } from "../learning/use-rows.ts";
import { useArms, type ArmLook } from "../parts/arm.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { Explained, Term } from "../parts/term.tsx";
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
      <StoryCharts id={criterion.id} />
      <Samples id={criterion.id} />
    </Sheet>
  );
}

function StateNow({ criterion }: { readonly criterion: Criterion }) {
  const text = useText();
  const row = useApp((state) => criterionOf(state.latest[state.focusArm], criterion.id));
  return (
    <p className="story-state">
      {criterion.check === null && <span className="badge warn">{text.rubric.needsJudge}</span>}
      {criterion.check === null && <span className="soft">{text.rubric.needsJudgeWhy}</span>}
      {row === undefined && criterion.check !== null && <span className="soft">{text.story.before}</span>}
      {row !== undefined && (
        <>
          <StateMark state={row.state} /> {percent(row.passRate)} <span className="soft">{row.reason}</span>
        </>
      )}
    </p>
  );
}

/** One figure of the criterion in every arm. */
function seriesOf(
  stepsOf: (arm: string) => readonly ArmStep[],
  arms: readonly ArmLook[],
  value: (row: CriterionStep | undefined) => number | null,
  id: string,
): readonly Point[] {
  const limit = Math.floor(POINT_LIMIT / Math.max(1, arms.length));
  const points = new Map<number, Record<string, number | null> & { x: number }>();
  for (const arm of arms) {
    for (const step of downSample(stepsOf(arm.id), limit)) {
      const point = points.get(step.step) ?? { x: step.step };
      point[arm.id] = value(criterionOf(step, id));
      points.set(step.step, point);
    }
  }
  return [...points.values()].sort((a, b) => a.x - b.x);
}

function StoryCharts({ id }: { readonly id: string }) {
  const text = useText();
  const arms = useArms();
  const { buffer, maxStep } = useRows();
  const figures = [
    {
      name: text.story.passRate,
      means: text.terms.passes.means,
      value: (row?: CriterionStep) => row?.passRate ?? null,
    },
    {
      name: text.story.variance,
      means: text.story.varianceMeans,
      value: (row?: CriterionStep) => row?.variance ?? null,
    },
    {
      name: text.terms.alpha.label,
      means: text.terms.alpha.means,
      value: (row?: CriterionStep) => row?.alpha ?? null,
    },
    {
      name: text.terms.pressure.label,
      means: text.terms.pressure.means,
      value: (row?: CriterionStep) => row?.pressure ?? null,
    },
  ];
  return (
    <div className="charts">
      {figures.map(({ name, means, value }) => {
        const points = seriesOf(buffer.steps, arms, value, id);
        return (
          <figure key={name}>
            <figcaption>
              <Explained means={means}>{name}</Explained>
            </figcaption>
            <StepChart
              points={points}
              lines={arms}
              maxStep={maxStep}
              height={112}
              label={readOut(points, arms)}
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
      <h3>
        {text.sample} <Term name="criterion">?</Term>
      </h3>
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
