/** Criteria by answers, best answer first: where a row is all one colour nothing can be learned from it. */
import type { RolloutGroup } from "../../../domain/run/records.ts";
import type { Criterion } from "../../../domain/rubric/schema.ts";
import { rankRollouts, verdictsByCategory } from "../../store/rollout-view.ts";
import { useActions, useApp } from "../app-context.ts";
import { number, percent } from "../format.ts";
import { useText } from "../text/text-context.ts";
import { verdictClass, verdictWords } from "./verdict-dots.tsx";

interface MatrixProps {
  readonly group: RolloutGroup;
  readonly criteria: readonly Criterion[];
}

function shareMet(verdicts: readonly (number | null)[]): number | null {
  const valid = verdicts.filter((verdict) => verdict !== null);
  return valid.length === 0 ? null : valid.reduce((sum, verdict) => sum + verdict, 0) / valid.length;
}

export function VerdictMatrix({ group, criteria }: MatrixProps) {
  const text = useText();
  const actions = useActions();
  const lit = useApp((state) => state.hovered ?? state.pinnedCriterion);
  const ranked = rankRollouts(group.rollouts);
  const columns = ranked.flatMap((index) => {
    const rollout = group.rollouts[index];
    return rollout === undefined
      ? []
      : [{ index, rollout, rows: verdictsByCategory(group, rollout, criteria) }];
  });
  const categories = columns[0]?.rows ?? [];
  return (
    <div className="matrix-scroll" tabIndex={0} role="region" aria-label={text.rollouts.matrix}>
      <table className="matrix">
        <thead>
          <tr>
            <th scope="col">{text.terms.criterion.label}</th>
            <th scope="col">{text.terms.passes.label}</th>
            {columns.map(({ index, rollout }, rank) => (
              <th key={index} scope="col" data-tip={rollout.text} aria-label={text.rollouts.answer(rank + 1)}>
                {number(rollout.reward)}
              </th>
            ))}
          </tr>
        </thead>
        {categories.map(({ category, marks }, k) => (
          <tbody key={category}>
            {marks.map((mark, j) => {
              const cells = columns.map((column) => column.rows[k]?.marks[j] ?? mark);
              return (
                <tr
                  key={mark.criterionId}
                  className={mark.criterionId === lit ? "lit" : undefined}
                  onPointerEnter={() => {
                    actions.hover(mark.criterionId);
                  }}
                  onPointerLeave={() => {
                    actions.hover(null);
                  }}
                >
                  <th scope="row">{mark.text}</th>
                  <td className="soft">{percent(shareMet(cells.map((cell) => cell.verdict)))}</td>
                  {cells.map((cell, i) => (
                    <td key={columns[i]?.index ?? i}>
                      <i
                        className={verdictClass(cell)}
                        role="img"
                        aria-label={verdictWords(cell, text).split("\n")[0] ?? ""}
                        data-tip={verdictWords(cell, text)}
                      />
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        ))}
      </table>
    </div>
  );
}
