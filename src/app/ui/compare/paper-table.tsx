/** The table in the form of the paper's: the base model first, then every arm at the last evaluated step. */
import type { Estimate, Measure } from "../../../domain/experiment/summary.ts";
import type { Compared } from "../../store/comparison.ts";
import type { ArmLook } from "../parts/arm.tsx";
import { useText } from "../text/text-context.ts";
import { sayEstimate } from "./say.ts";

const COLUMNS = [
  ["score", "score"],
  ["balancedScore", "balanced"],
  ["strictCompletion", "strict"],
  ["learningPassRate", "learning"],
] as const satisfies readonly (readonly [Measure, string])[];

interface TableProps {
  readonly arms: readonly ArmLook[];
  readonly compared: Compared;
}

export function PaperTable({ arms, compared }: TableProps) {
  const text = useText().compare.table;
  const { summary, step, samples, hasBase } = compared;
  const seeds = summary.seeds.length;
  const ends = arms.map((arm) => summary.arms.find((each) => each.arm === arm.id)?.curve.at(-1));
  const caption = text.caption(step, seeds, samples);
  return (
    <div>
      <p className="soft">
        {caption}. {seeds < 2 ? text.noSpread : text.spread}
      </p>
      <div className="compare-table" role="region" aria-label={caption} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{text.arm}</th>
              {COLUMNS.map(([measure, name]) => (
                <th key={measure} scope="col">
                  {text[name]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">{text.base}</th>
              <Values of={hasBase ? summary.base : undefined} />
            </tr>
            {arms.map((arm, at) => (
              <tr key={arm.id}>
                <th scope="row">
                  <i style={{ background: arm.color }} aria-hidden /> {arm.name}
                </th>
                <Values of={ends[at]} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function Values({ of }: { readonly of: Readonly<Record<Measure, Estimate>> | undefined }) {
  return COLUMNS.map(([measure]) => <td key={measure}>{sayEstimate(of?.[measure])}</td>);
}
