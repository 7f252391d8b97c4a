/** What each rule reached: final score, gain, and the steps to static's score, each number explained on hover. */
import type { MapEstimate } from "../../../domain/experiment/map-data.ts";
import type { Comparison, RuleSummary } from "../../../domain/simulator/compare-rules.ts";
import { Explained } from "../parts/term.tsx";
import { useText } from "../text/text-context.ts";
import { factorText, gainText, scoreText, stepText } from "./score-text.ts";
import { useRuleLooks } from "./rule-looks.ts";

const COLUMNS = ["score", "gain", "mixed", "steps", "speed", "never"] as const;

export function OutcomeTable({ comparison }: { readonly comparison: Comparison }) {
  const text = useText().simulator.table;
  return (
    <div className="outcome-scroll">
      <table className="outcome-table">
        <caption className="hidden">{text.caption}</caption>
        <thead>
          <tr>
            <th scope="col">{text.rule}</th>
            {COLUMNS.map((column) => (
              <th key={column} scope="col">
                <Explained means={text[column].means}>{text[column].label}</Explained>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {comparison.rules.map((rule) => (
            <OutcomeRow key={rule.rule} rule={rule} goalStep={comparison.settings.goalStep} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  readonly rule: RuleSummary;
  readonly goalStep: number;
}

function OutcomeRow({ rule, goalStep }: RowProps) {
  const text = useText().simulator.table;
  const { name, color, means } = useRuleLooks()[rule.rule];
  const over = rule.stepsToBaseline?.seeds ?? 0;
  const explain = ({ mean, low, high }: MapEstimate, say: (value: number) => string): string =>
    low === null || high === null ? text.single : text.interval(say(mean), say(low), say(high), over);
  return (
    <tr>
      <th scope="row">
        <i style={{ background: color }} aria-hidden />
        <Explained means={means}>{name}</Explained>
      </th>
      <td data-tip={explain(rule.finalScore, scoreText)}>{scoreText(rule.finalScore.mean)}</td>
      <td data-tip={explain(rule.gain, gainText)}>{gainText(rule.gain.mean)}</td>
      <td data-tip={rule.finalMixed === null ? "" : explain(rule.finalMixed, scoreText)}>
        {scoreText(rule.finalMixed?.mean)}
      </td>
      <PaceCells rule={rule} goalStep={goalStep} />
    </tr>
  );
}

/** Steps to static's score, the factor that they make, and the seeds that never get there. */
function PaceCells({ rule, goalStep }: RowProps) {
  const text = useText().simulator.table;
  const goal = rule.stepsToBaseline;
  if (goal === null) return <td colSpan={3} />;
  const step = (value: number | null): string => (value === null ? text.never1 : stepText(value));
  const never = goal.seeds - goal.reached;
  return (
    <>
      <td data-tip={text.steps.means}>
        {step(goal.median)}{" "}
        {goal.low !== null && (
          <span className="soft">
            ({step(goal.low)}–{step(goal.high)})
          </span>
        )}
      </td>
      <td data-tip={text.speedOf(goalStep, step(goal.median))}>
        <b>{factorText(rule.speedUp)}</b>
      </td>
      <td data-tip={text.neverOf(never, goal.seeds)}>
        {never} / {goal.seeds}
      </td>
    </>
  );
}
