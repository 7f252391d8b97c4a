/** Several arms and seeds side by side: the paper's table, steps to the reference's score, score against strict completion. */
import { useMemo } from "react";
import { referenceArm } from "../../store/app-state.ts";
import { comparableCount, compare, type Compared } from "../../store/comparison.ts";
import { yardsticks } from "../../store/rubric-history.ts";
import { useActions, useApp } from "../app-context.ts";
import { useRows } from "../learning/use-rows.ts";
import { ArmKey, useArms, type ArmLook } from "../parts/arm.tsx";
import { useText } from "../text/text-context.ts";
import { Dominance } from "./dominance.tsx";
import { PaperTable } from "./paper-table.tsx";
import { StepsToTarget } from "./steps-to-target.tsx";
import "./compare.css";

export function ComparePanel() {
  const text = useText().compare;
  const arms = useArms();
  const reference = useApp(referenceArm);
  const compared = useCompared(arms, reference);
  return (
    <section className="card wide compare" aria-labelledby="compare-title">
      <div className="card-title">
        <h2 id="compare-title">{text.title}</h2>
        <ArmKey arms={arms} />
        <span className="grow" />
        <ReferenceChoice arms={arms} reference={reference} />
      </div>
      {compared === null ? (
        <p className="soft">{text.waiting}</p>
      ) : (
        <div className="compare-parts">
          <div className="compare-tables">
            <PaperTable arms={arms} compared={compared} />
            <StepsToTarget arms={arms} reference={reference} compared={compared} />
          </div>
          <Dominance arms={arms} compared={compared} />
        </div>
      )}
    </section>
  );
}

/** Made anew with an evaluation of every seed, not with every row: the bootstrap takes some milliseconds. */
function useCompared(arms: readonly ArmLook[], reference: string): Compared | null {
  const { buffer } = useRows();
  const versions = useApp((state) => state.versions);
  const target = useApp((state) => state.target);
  const run = useApp((state) => state.spec);
  const ids = useMemo(() => arms.map(({ id }) => id), [arms]);
  const count = comparableCount(buffer, ids);
  const made = useMemo(
    () => ({ run, compared: compare(buffer, count, { arms: ids, reference, target }, yardsticks(versions)) }),
    [run, buffer, count, ids, reference, target, versions],
  );
  return made.compared;
}

function ReferenceChoice({
  arms,
  reference,
}: {
  readonly arms: readonly ArmLook[];
  readonly reference: string;
}) {
  const text = useText().compare;
  const actions = useActions();
  if (arms.length < 2) return null;
  return (
    <label className="soft">
      {text.reference}{" "}
      <select
        className="seed-switch"
        value={reference}
        onChange={({ target }) => {
          actions.compareWith(target.value);
        }}
      >
        {arms.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
