/** What else is measured: behind a switch, one small chart a figure, and the whole criterion by step strip. */
import type { Evaluation } from "../../../domain/run/records.ts";
import { yardsticks } from "../../store/rubric-history.ts";
import { evaluationBands, metricBands } from "../../store/bands.ts";
import { categorySeries, type Point } from "../../store/series.ts";
import { useApp } from "../app-context.ts";
import { useArms, type ArmLook } from "../parts/arm.tsx";
import { OfSeed, useBandName } from "../parts/seed.tsx";
import { Term } from "../parts/term.tsx";
import type { TermName } from "../text/en-terms.ts";
import { useText } from "../text/text-context.ts";
import { readOut } from "./learning-charts.tsx";
import { StateStrip } from "./state-strip.tsx";
import type { ChartLine } from "./chart-frame.ts";
import { StepChart } from "./step-chart.tsx";
import { useRows } from "./use-rows.ts";

const EVALUATIONS: readonly (readonly [TermName, (row: Evaluation) => number | null])[] = [
  ["strictCompletion", (row) => row.strictCompletion],
  ["balancedScore", (row) => row.balancedScore],
];

/** Term and the metric's name in the rows (TRL's where it has one). */
const METRICS: readonly (readonly [TermName, string])[] = [
  ["trainingReward", "reward"],
  ["spread", "reward_std"],
  ["kl", "kl"],
  ["entropy", "entropy"],
  ["length", "completions/mean_length"],
  ["gradNorm", "grad_norm"],
];

/** Metrics that are measured by the rubric. */
const REWARDS: ReadonlySet<string> = new Set(["reward", "reward_std"]);

/** Categories share a scale of greys and the arm's own colour is not theirs: ink at several weights and dashes. */
const CATEGORY_DASHES = ["0", "7 3", "2 3", "8 3 2 3", "1 4", "12 4"] as const;

export function MoreCharts() {
  const arms = useArms();
  const { buffer } = useRows();
  const ids = arms.map((arm) => arm.id);
  const measure = yardsticks(useApp((state) => state.versions));
  return (
    <div className="charts more-charts">
      {EVALUATIONS.map(([term, value]) => (
        <SmallChart
          key={term}
          term={term}
          points={evaluationBands(buffer, ids, value, measure)}
          lines={arms}
        />
      ))}
      {METRICS.map(([term, metric]) => (
        <SmallChart
          key={term}
          term={term}
          points={metricBands(buffer, ids, metric, REWARDS.has(metric) ? measure : null)}
          lines={arms}
        />
      ))}
      <CategoryChart arms={arms} />
      <figure className="whole">
        <figcaption>
          <Term name="strip" />
          <span className="soft">
            <OfSeed />
          </span>
        </figcaption>
        <StateStrip />
      </figure>
    </div>
  );
}

interface SmallChartProps {
  readonly term: TermName;
  readonly points: readonly Point[];
  readonly lines: readonly ChartLine[];
}

function SmallChart({ term, points, lines }: SmallChartProps) {
  const text = useText().learning;
  const { buffer, maxStep } = useRows();
  const beta = useApp((state) => state.spec?.grpo.beta ?? 0);
  const unmeasured = term === "kl" && beta === 0;
  return (
    <figure>
      <figcaption>
        <Term name={term} />
      </figcaption>
      <StepChart
        points={points}
        lines={lines}
        maxStep={maxStep}
        height={128}
        label={readOut(points, lines)}
        edits={buffer.edits()}
        bandName={useBandName()}
        {...(unmeasured ? { empty: text.notMeasured } : {})}
      />
    </figure>
  );
}

/** Of the arm in focus: one line a category. */
function CategoryChart({ arms }: { readonly arms: readonly ArmLook[] }) {
  const { buffer, maxStep } = useRows();
  const text = useText();
  const focus = useApp((state) => state.focusArm);
  const arm = arms.find((known) => known.id === focus);
  const measure = yardsticks(useApp((state) => state.versions));
  const evaluations = buffer.evaluations(focus);
  const names = [...new Set(evaluations.flatMap((row) => Object.keys(row.categories)))];
  const points = categorySeries(evaluations, names, measure);
  const lines = names.map((name, i): ChartLine => {
    const dash = CATEGORY_DASHES[i % CATEGORY_DASHES.length] ?? "0";
    return { id: name, name, color: arm?.color ?? "var(--ink)", dash, width: 1.8 };
  });
  return (
    <figure>
      <figcaption>
        <Term name="categories" />
        <span className="soft">
          {arm === undefined ? "" : text.learning.of(arm.name)}
          <OfSeed />
        </span>
      </figcaption>
      <StepChart
        points={points}
        lines={lines}
        maxStep={maxStep}
        height={128}
        label={readOut(points, lines)}
      />
      <div className="arm-key">
        {lines.map((line) => (
          <span key={line.id}>
            <svg width="26" height="4" aria-hidden>
              <line
                x1="0"
                x2="26"
                y1="2"
                y2="2"
                stroke={line.color}
                strokeWidth="2"
                strokeDasharray={line.dash}
              />
            </svg>
            {line.name}
          </span>
        ))}
      </div>
    </figure>
  );
}
