/** How soon each arm reaches the reference's final score; the reference's own gain stands beside every speed-up. */
import type { ArmSummary } from "../../../domain/experiment/summary.ts";
import { referenceGain, type Compared } from "../../store/comparison.ts";
import { number } from "../format.ts";
import type { ArmLook } from "../parts/arm.tsx";
import { Explained } from "../parts/term.tsx";
import { useText } from "../text/text-context.ts";
import { sayEstimate } from "./say.ts";

interface TargetProps {
  readonly arms: readonly ArmLook[];
  readonly reference: string;
  readonly compared: Compared;
}

export function StepsToTarget({ arms, reference, compared }: TargetProps) {
  const text = useText().compare.target;
  const name = arms.find(({ id }) => id === reference)?.name ?? reference;
  const gain = referenceGain(compared);
  const { target } = compared.summary;
  return (
    <div>
      <p className="soft">
        <Explained means={text.means}>{target === null ? text.title : text.toTarget(target)}</Explained>.{" "}
        {gain === null || (gain.mean ?? 0) > 0 ? text.counts : text.noGain}
      </p>
      <div className="compare-table" role="region" aria-label={text.title} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {[text.arm, text.steps, text.interval, text.reached, text.speed, text.gained(name)].map(
                (head) => (
                  <th key={head} scope="col">
                    {head}
                  </th>
                ),
              )}
            </tr>
          </thead>
          <tbody>
            {arms.map((arm) => {
              const summary = compared.summary.arms.find((each) => each.arm === arm.id);
              if (summary === undefined || (arm.id === reference && target === null)) return null;
              return (
                <tr key={arm.id}>
                  <th scope="row">
                    <i style={{ background: arm.color }} aria-hidden /> {arm.name}
                  </th>
                  <Steps of={summary} />
                  <td>{gain !== null && (gain.mean ?? 0) > 0 ? sayTimes(summary.speedUp) : "–"}</td>
                  <td>{sayEstimate(gain ?? undefined, true)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </div>
  );
}

const sayTimes = (factor: number | null): string => (factor === null ? "–" : `${number(factor)}×`);

function Steps({ of: { stepsToGoal } }: { readonly of: ArmSummary }) {
  const text = useText().compare.target;
  const { median, low, high, reached, seeds } = stepsToGoal;
  const end = (step: number | null): string => (step === null ? text.open : number(step));
  return (
    <>
      <td>{median === null ? text.never : number(median)}</td>
      <td>{seeds < 2 ? "–" : `${end(low)} … ${end(high)}`}</td>
      <td>{text.of(reached, seeds)}</td>
    </>
  );
}
