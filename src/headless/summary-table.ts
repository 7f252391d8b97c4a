/** A summary as a Markdown page: the paper's table, what was gained and how fast, what the steps logged, the curve of each arm. */
import type { ExperimentCell } from "../domain/experiment/experiment-file.ts";
import type { Experiment } from "../domain/experiment/experiment-schema.ts";
import type { StepsToBaseline } from "../domain/experiment/map-data.ts";
import {
  measures,
  paperRows,
  type ArmSummary,
  type Estimate,
  type Measure,
  type Summary,
} from "../domain/experiment/summary.ts";

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
    `Model ${model}, scenario ${experiment.scenario}, set-up ${experiment.setUp}${sayCell(cell)}, ` +
      `${cell.evaluationSamples} held-out samples an evaluation, seeds ${seeds.join(", ")}. ` +
      "Means over seeds with the half-width of their 95 % t-interval. Written by `npm run experiment`; not edited by hand.",
    "",
    "## At the end",
    "",
    ...table(
      ["", "rubric score", "strict completion", TITLES.balancedScore, TITLES.learningPassRate],
      paperRows(summary).map(({ arm, score, strictCompletion }) => {
        const end = arms.find((each) => each.arm === arm)?.curve.at(-1) ?? summary.base;
        const others = [end.balancedScore, end.learningPassRate];
        return [arm ?? "base model", ...[score, strictCompletion, ...others].map(say)];
      }),
    ),
    "",
    ...timedTable(summary),
    "",
    `## Final value minus that of ${baseline}, paired by seed`,
    "",
    ...table(
      ["arm", ...measures.map((measure) => TITLES[measure])],
      arms
        .filter((arm) => arm.arm !== baseline)
        .map((arm) => [arm.arm, ...measures.map((measure) => sayAhead(arm, measure))]),
    ),
    "",
    ...loggedTable(arms),
    ...(["score", "learningPassRate"] as const).flatMap((measure) => ["", ...curveTable(summary, measure)]),
    "",
  ].join("\n");
}

function timedTable(summary: Summary): string[] {
  const { baseline, arms } = summary;
  const goal = summary.target === null ? `the final score of ${baseline}` : `the score ${summary.target}`;
  return [
    `## Steps to ${goal}`,
    "",
    "First evaluated step at or above it, of the same seed: median with its 95 % bootstrap interval over seeds. " +
      "A speed-up says little where the baseline itself gained little.",
    "",
    ...table(
      [
        "arm",
        "steps",
        "seeds that get there",
        "speed-up",
        "on the mean curves",
        "gained at the end, held-out score",
      ],
      arms.map((arm) => [
        arm.arm,
        saySteps(arm.stepsToGoal),
        `${arm.stepsToGoal.reached} of ${arm.stepsToGoal.seeds}`,
        arm.speedUp === null ? "—" : `${arm.speedUp.toFixed(2)}x`,
        arm.meanCurveStepToGoal === null ? "never" : String(arm.meanCurveStepToGoal),
        say(arm.gain.score),
      ]),
    ),
  ];
}

function sayCell({ judgeNoise, flatWeight }: ExperimentCell): string {
  const noise = judgeNoise === undefined ? "" : `, judge noise ${judgeNoise}`;
  return flatWeight === undefined ? noise : `${noise}, weight ${flatWeight} on flat criteria`;
}

function loggedTable(arms: readonly ArmSummary[]): string[] {
  const head = ["arm", "reward's spread", "gradient norm", "share that teaches", "groups without spread"];
  const rows = arms.map(({ arm, logged }) => [
    arm,
    ...[logged.rewardSpread, logged.gradNorm, logged.teachingShare, logged.zeroSpreadShare].map(say),
  ]);
  return [
    "## What the steps logged",
    "",
    "Means over all steps: the reward's standard deviation within a group, the gradient's norm before clipping, the share of " +
      "the reward on criteria flagged learning, and the share of groups whose rollouts could not be told apart.",
    "",
    ...table(head, rows),
  ];
}

function curveTable({ steps, arms }: Summary, measure: Measure): string[] {
  const rows = steps.map((step, at) => [String(step), ...arms.map((arm) => say(arm.curve[at]?.[measure]))]);
  const title = `${TITLES[measure].charAt(0).toUpperCase()}${TITLES[measure].slice(1)}`;
  return [`## ${title} by step`, "", ...table(["step", ...arms.map((arm) => arm.arm)], rows)];
}

function sayAhead(arm: ArmSummary, measure: Measure): string {
  const ahead = arm.ahead[measure];
  return ahead.mean === null ? "—" : `${say(ahead)}; ahead in ${ahead.seedsAhead} of ${ahead.seeds}`;
}

function saySteps({ median, low, high, seeds }: StepsToBaseline): string {
  if (median === null) return seeds === 1 ? "never" : "most seeds never";
  const step = (value: number | null): string => (value === null ? "never" : String(value));
  return seeds === 1 ? String(median) : `${median} (${step(low)} to ${step(high)})`;
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
