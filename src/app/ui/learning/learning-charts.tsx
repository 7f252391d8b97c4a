/** The charts that stay: held-out score, learning pass rate, where the pressure goes, alpha of every criterion. */
import type { CriterionState, Evaluation } from "../../../domain/run/records.ts";
import { alphaArm } from "../../store/app-state.ts";
import { evaluationBands } from "../../store/bands.ts";
import { meanings, questions, yardsticks } from "../../store/rubric-history.ts";
import { criteriaSeries, criterionOf, isBroken, lastValue, type Point } from "../../store/series.ts";
import { holdsOut } from "../../store/set-up.ts";
import { useActions, useApp } from "../app-context.ts";
import { number } from "../format.ts";
import { useArms } from "../parts/arm.tsx";
import { Explained, Term } from "../parts/term.tsx";
import type { TermName } from "../text/en-terms.ts";
import { useText } from "../text/text-context.ts";
import { OfSeed, useBandName } from "../parts/seed.tsx";
import { PressureAreas } from "./pressure-areas.tsx";
import type { ChartLine } from "./chart-frame.ts";
import { StepChart } from "./step-chart.tsx";
import { useRows } from "./use-rows.ts";

export function LearningCharts() {
  const text = useText();
  const arms = useArms();
  const heldOut = useApp((state) => state.spec === null || holdsOut(state.spec));
  return (
    <div className="charts">
      <EvaluationFigure
        term={heldOut ? "heldOutScore" : "trainedScore"}
        hint={text.learning.scoreHint}
        height={150}
        value={(row) => row.score}
        measures={yardsticks}
      />
      <EvaluationFigure
        term={heldOut ? "learningPassRate" : "trainedPassRate"}
        hint={text.learning.passRateHint}
        height={120}
        value={(row) => row.learningPassRate}
        measures={questions}
      />
      <figure>
        <figcaption>
          <Term name="whereItGoes" />
          <span className="soft">
            {text.learning.pressureHint}
            <OfSeed />
          </span>
        </figcaption>
        <PressureAreas arms={arms} />
      </figure>
      <figure>
        <figcaption>
          <Term name="alphas" />
          <span className="soft">
            {text.learning.alphaHint}
            <OfSeed />
          </span>
        </figcaption>
        <AlphaChart />
      </figure>
    </div>
  );
}

/** The newest value of every line, for those who do not see the chart. */
export function readOut(points: readonly Point[], lines: readonly ChartLine[]): string {
  return lines.map((line) => `${line.name} ${number(lastValue(points, line.id))}`).join(", ");
}

/** Rates and scores are drawn over at least a tenth. */
const LEAST_SPAN = 0.1;

interface EvaluationFigureProps {
  readonly term: TermName;
  readonly hint: string;
  readonly height: number;
  readonly value: (row: Evaluation) => number | null;
  /** Where the line breaks. */
  readonly measures: typeof yardsticks;
}

function EvaluationFigure({ term, hint, height, value, measures }: EvaluationFigureProps) {
  const text = useText().learning;
  const arms = useArms();
  const { buffer, maxStep } = useRows();
  const versions = useApp((state) => state.versions);
  const ids = arms.map((arm) => arm.id);
  const points = evaluationBands(buffer, ids, value, measures(versions));
  return (
    <figure>
      <figcaption>
        <Term name={term} />
        <span className="soft">
          {isBroken(points) ? <Explained means={text.brokenMeans}>{text.broken}</Explained> : hint}
        </span>
      </figcaption>
      <StepChart
        points={points}
        lines={arms}
        maxStep={maxStep}
        height={height}
        leastSpan={LEAST_SPAN}
        label={readOut(points, arms)}
        edits={buffer.edits()}
        bandName={useBandName()}
      />
    </figure>
  );
}

const STATE_COLOR: Readonly<Record<CriterionState, string>> = {
  learning: "var(--learning)",
  saturated: "var(--saturated)",
  dead: "var(--dead)",
  unseen: "var(--soft)",
};

function AlphaChart() {
  const text = useText();
  const actions = useActions();
  const { buffer, maxStep } = useRows();
  const criteria = useApp((state) => state.rubric.criteria);
  const planned = useApp((state) => state.spec !== null);
  const arm = useApp(alphaArm);
  const lit = useApp((state) => state.hovered ?? state.pinnedCriterion);
  const versions = useApp((state) => state.versions);
  if (arm === undefined) {
    return (
      <div className="chart" style={{ height: 160 }}>
        <p className="chart-empty">
          <span>{planned ? text.learning.noAlpha : text.learning.alphaLater}</span>
        </p>
      </div>
    );
  }
  const steps = buffer.steps(arm.id);
  const points = criteriaSeries(
    steps,
    criteria.map((criterion) => criterion.id),
    (row) => (row.judged === 0 ? null : Math.log2(row.alpha)),
    meanings(versions),
  );
  const lines = criteria.map((criterion): ChartLine => {
    const state = criterionOf(steps.at(-1), criterion.id)?.state ?? "unseen";
    const isLit = criterion.id === lit;
    return {
      id: criterion.id,
      name: criterion.text,
      color: STATE_COLOR[state],
      width: isLit ? 3.2 : 1.4,
      opacity: isLit ? 1 : lit === null ? 0.75 : 0.35,
      dash: state === "dead" ? "4 3" : "0",
    };
  });
  const { alpha_min: low, alpha_max: high } = arm.pow3r;
  const [bottom, top] = [Math.log2(low), Math.log2(high)];
  const litName = criteria.find((criterion) => criterion.id === lit)?.text;
  return (
    <>
      <StepChart
        points={points}
        lines={lines}
        maxStep={maxStep}
        height={160}
        ticks={[...new Set([Math.min(bottom, -0.1), 0, Math.max(top, 0.1)])]}
        format={(value) => number(2 ** value)}
        levels={[
          { value: bottom, name: text.learning.floor },
          { value: top, name: text.learning.cap, below: true },
        ]}
        label={readOut(points, lines)}
        onLine={actions.hover}
      />
      <div className="soft lit-name">{litName ?? "\u00a0"}</div>
    </>
  );
}
