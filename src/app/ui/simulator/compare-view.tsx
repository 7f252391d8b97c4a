/** Rules side by side: the sentence, score and chance of the mixed criteria per step, alpha, and the table. */
import type { RewardRuleName } from "../../../domain/run/spec.ts";
import type { Band, Comparison, RuleSummary } from "../../../domain/simulator/compare-rules.ts";
import { Explained } from "../parts/term.tsx";
import { useText } from "../text/text-context.ts";
import { BandChart, type BandLine } from "./band-chart.tsx";
import { lessonOf, type Lesson } from "./lesson.ts";
import { OutcomeTable } from "./outcome-table.tsx";
import { useRuleLooks } from "./rule-looks.ts";
import { factorText, gainText, scoreText, stepText } from "./score-text.ts";
import { number } from "../format.ts";

const TALL = 250;
const LOW = 150;

export function CompareView({ comparison }: { readonly comparison: Comparison | null }) {
  const text = useText().simulator;
  if (comparison === null) return <p className="soft simulator-waiting">{text.waiting}</p>;
  return (
    <div className="compare-view charts">
      <LessonLine comparison={comparison} />
      <div className="compare-charts">
        <ScoreChart comparison={comparison} curve="gained" height={TALL + LOW + 44} />
        <div>
          <ScoreChart comparison={comparison} curve="mixedPassRate" height={TALL} />
          <AlphaChart comparison={comparison} />
        </div>
      </div>
      <OutcomeTable comparison={comparison} />
    </div>
  );
}

function LessonLine({ comparison }: { readonly comparison: Comparison }) {
  const text = useText().simulator.lessons;
  const lesson = lessonOf(comparison);
  return (
    <p className="simulator-lesson" aria-live="polite">
      <b>{text.title}</b> {lesson === null ? text.waiting : lessonWords(lesson, comparison, text)}
    </p>
  );
}

type LessonTexts = ReturnType<typeof useText>["simulator"]["lessons"];

function lessonWords(lesson: Lesson, { settings, seeds }: Comparison, text: LessonTexts): string {
  const { kind } = lesson;
  const speed = factorText(lesson.speedUp);
  const steps = lesson.steps === null ? "" : stepText(lesson.steps);
  const first: Readonly<Record<Lesson["kind"], string>> = {
    allFlat: text.allFlat,
    noneFlat: text.noneFlat(speed),
    balancing: text.balancing(speed, factorText(lesson.balanced)),
    noNoise: text.noNoise(speed),
    noNoiseSlower: text.noNoiseSlower(speed),
    faster: text.faster(speed, steps, settings.goalStep),
    ahead: text.ahead(speed),
    light: text.light(speed),
    same: text.same(speed),
    slower: text.slower(speed),
    never: text.never(lesson.reached, seeds),
  };
  const little = lesson.littleGain === null ? "" : text.little(gainText(lesson.littleGain));
  const balanced =
    lesson.balanced === null || kind === "balancing" ? "" : text.gathered(factorText(lesson.balanced));
  return first[kind] + little + balanced + (lesson.gdpoBehind ? text.gdpo : "");
}

interface ScoreChartProps {
  readonly comparison: Comparison;
  readonly curve: "gained" | "mixedPassRate";
  readonly height: number;
}

function ScoreChart({ comparison, curve, height }: ScoreChartProps) {
  const { charts } = useText().simulator;
  const looks = useRuleLooks();
  const text = curve === "gained" ? charts.gained : charts.mixed;
  const say = curve === "gained" ? gainText : scoreText;
  const { rules, drawnSteps, settings } = comparison;
  const lines = rules.map((rule) => bandLine(rule.rule, looks[rule.rule], rule[curve]));
  const ends = lines.map(({ name, median }) => `${name} ${say(median.at(-1))}`).join(", ");
  return (
    <figure>
      <figcaption>
        <Explained means={text.means}>{text.title}</Explained>
        <span className="soft">
          {curve === "gained" ? charts.gained.hint(settings.goalStep) : sameReward(rules) ? charts.same : ""}
        </span>
      </figcaption>
      <BandChart
        steps={drawnSteps}
        lines={lines}
        height={height}
        label={charts.label(text.title, ends)}
        mark={settings.goalStep}
        leastSpan={0.05}
        format={say}
      />
    </figure>
  );
}

/** Where categories weigh the same, static and balanced are one reward, and one line lies on the other. */
function sameReward(rules: readonly RuleSummary[]): boolean {
  const ends = rules.filter(({ rule }) => rule === "static-scalar" || rule === "category-balanced");
  const [first, second] = ends.map(({ finalScore }) => finalScore.mean);
  return first !== undefined && second !== undefined && Math.abs(first - second) < 1e-9;
}

function bandLine(
  id: RewardRuleName,
  { name, color, dash }: { readonly name: string; readonly color: string; readonly dash: string },
  { median, low, high }: Band,
): BandLine {
  return { id, name, color, dash, median, low, high };
}

/** Nothing to show without POW3R, but its place stays: nothing moves when the rule is switched on. */
function AlphaChart({ comparison }: { readonly comparison: Comparison }) {
  const text = useText().simulator.charts;
  const { rules, drawnSteps, settings } = comparison;
  const pow3r = rules.find(({ rule }) => rule === "pow3r");
  const lines = pow3r === undefined ? [] : alphaLines(pow3r, text.alpha);
  const ends = lines.map(({ name, median }) => `${name} ${number(median.at(-1))}`).join(", ");
  return (
    <figure>
      <figcaption>
        <Explained means={text.alpha.means}>{text.alpha.title}</Explained>
        <span className="alpha-key soft">
          {lines.map(({ id, name, color, dash }) => (
            <span key={id}>
              <svg width="18" height="4" aria-hidden>
                <line x1="0" x2="18" y1="2" y2="2" stroke={color} strokeWidth="3" strokeDasharray={dash} />
              </svg>
              {name}
            </span>
          ))}
        </span>
      </figcaption>
      <BandChart
        steps={drawnSteps}
        lines={lines}
        height={LOW}
        label={text.label(text.alpha.title, ends)}
        levels={[
          { name: text.alpha.floor, value: settings.alpha_min },
          { name: text.alpha.cap, value: settings.alpha_max, below: true },
        ]}
        leastSpan={0.5}
        format={number}
      />
    </figure>
  );
}

function alphaLines(
  { flatAlpha, mixedAlpha }: RuleSummary,
  names: { readonly flat: string; readonly mixed: string },
): BandLine[] {
  return [
    { id: "flat", name: names.flat, color: "var(--dead)", dash: "5 3", median: flatAlpha },
    { id: "mixed", name: names.mixed, color: "var(--learning)", dash: "0", median: mixedAlpha },
  ];
}
