/** The run's newest answers to take one of, instead of pasting it. */
import type { RolloutGroup } from "../../../domain/run/records.ts";
import { rankRollouts } from "../../store/rollout-view.ts";
import { useApp } from "../app-context.ts";
import { useArms } from "../parts/arm.tsx";
import { useText } from "../text/text-context.ts";

/** Of the answer in the list. */
const SHOWN_CHARACTERS = 60;

/** An answer of the run with the prompt that it answers. */
export interface TakenAnswer {
  readonly promptId: string;
  readonly text: string;
}

export function TakeAnswer({ onTake }: { readonly onTake: (answer: TakenAnswer) => void }) {
  const text = useText().checks;
  const groups = useApp((state) => state.groups);
  const arms = useArms();
  const all = Object.values(groups).flat();
  if (all.length === 0) return null;
  const nameOf = (id: string): string => arms.find((arm) => arm.id === id)?.name ?? id;
  return (
    <label className="form-field">
      <span>{text.takeAnswer}</span>
      <select
        value=""
        onChange={(event) => {
          const [at = 0, index = 0] = event.target.value.split(" ").map(Number);
          const group = all[at];
          const rollout = group?.rollouts[index];
          if (group !== undefined && rollout !== undefined)
            onTake({ promptId: group.promptId, text: rollout.text });
        }}
      >
        <option value="">{text.ownAnswer}</option>
        {all.map((group, at) => (
          <optgroup
            key={`${group.arm} ${group.promptId}`}
            label={`${nameOf(group.arm)}: ${group.promptText}`}
          >
            <Answers group={group} at={at} arm={nameOf(group.arm)} />
          </optgroup>
        ))}
      </select>
    </label>
  );
}

/** Best first. */
function Answers(props: { readonly group: RolloutGroup; readonly at: number; readonly arm: string }) {
  const { group, at, arm } = props;
  const text = useText().checks;
  return rankRollouts(group.rollouts).map((index, rank) => (
    <option key={index} value={`${String(at)} ${String(index)}`}>
      {text.answerOf(
        arm,
        rank + 1,
        group.rollouts.length,
        (group.rollouts[index]?.text ?? "").slice(0, SHOWN_CHARACTERS),
      )}
    </option>
  ));
}
