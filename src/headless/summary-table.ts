/** A summary as a Markdown page: final scores, differences to the baseline, the curve of each arm. */
import type { ExperimentCell } from "../domain/experiment/experiment-file.ts";
import type { Experiment } from "../domain/experiment/experiment-schema.ts";
import type { ArmSummary, Estimate, Measure, Summary } from "./summary.ts";

const TITLES: Readonly<Record<Measure, string>> = {
  score: "held-out score",
  balancedScore: "category-balanced score",
  learningPassRate: "learning pass rate",
  strictCompletion: "strict completion",
};

export function summaryTable(
  experiment: Experiment,
  cell: ExperimentCell,
  model: string,
  summary: Summary,
): string {
  const { baseline, seeds, arms } = summary;
  return [
    cell.id === null ? `# ${experiment.name}` : `# ${experiment.name}: ${cell.title}`,
    "",
    experiment.question,
    "",
    `Model ${model}, scenario ${experiment.scenario}, set-up ${experiment.setUp}, ` +
      `${cell.evaluationSamples} held-out samples an evaluation, seeds ${seeds.join(", ")}. ` +
      "Means over seeds with the half-width of their 95 % t-interval. Written by `npm run experiment`; not edited by hand.",
    "",
    "## At the end",
    "",
    ...table(
      [
        "arm",
        ...Object.values(TITLES),
        `steps to the final score of ${baseline}`,
        "the same on the mean curves",
      ],
      arms.map((arm) => [
        arm.arm,
        ...measuresOf((measure) => say(arm.curve.at(-1)?.[measure])),
        arm.medianStepToBaseline === null ? "most seeds never" : `median ${arm.medianStepToBaseline}`,
        arm.meanCurveStepToBaseline === null ? "never" : String(arm.meanCurveStepToBaseline),
      ]),
    ),
    "",
    `## Final value minus that of ${baseline}, paired by seed`,
    "",
    ...table(
      ["arm", ...Object.values(TITLES)],
      arms
        .filter((arm) => arm.arm !== baseline)
        .map((arm) => [arm.arm, ...measuresOf((measure) => sayAhead(arm, measure))]),
    ),
    ...(["score", "learningPassRate"] as const).flatMap((measure) => ["", ...curveTable(summary, measure)]),
    "",
  ].join("\n");
}

function curveTable({ steps, arms }: Summary, measure: Measure): string[] {
  const rows = steps.map((step, at) => [String(step), ...arms.map((arm) => say(arm.curve[at]?.[measure]))]);
  const title = `${TITLES[measure].charAt(0).toUpperCase()}${TITLES[measure].slice(1)}`;
  return [`## ${title} by step`, "", ...table(["step", ...arms.map((arm) => arm.arm)], rows)];
}

function measuresOf(say: (measure: Measure) => string): string[] {
  return (Object.keys(TITLES) as Measure[]).map(say);
}

function sayAhead(arm: ArmSummary, measure: Measure): string {
  const ahead = arm.ahead[measure];
  return ahead.mean === null ? "—" : `${say(ahead)}; ahead in ${ahead.seedsAhead} of ${ahead.seeds}`;
}

function say(estimate: Estimate | undefined): string {
  if (estimate === undefined || estimate.mean === null) return "—";
  const mean = estimate.mean.toFixed(3);
  return estimate.halfWidth === null ? mean : `${mean} ± ${estimate.halfWidth.toFixed(3)}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)];
}
