/** One prompt through training: at each evaluation the best answer of every arm, oldest on the left. */
import { useRef } from "react";
import type { RolloutGroup } from "../../../domain/run/records.ts";
import type { Criterion } from "../../../domain/rubric/schema.ts";
import { rankRollouts } from "../../store/rollout-view.ts";
import { useApp } from "../app-context.ts";
import { number } from "../format.ts";
import type { ArmLook } from "../parts/arm.tsx";
import { useText } from "../text/text-context.ts";
import { VerdictDots } from "./verdict-dots.tsx";

interface FollowedProps {
  readonly arms: readonly ArmLook[];
  readonly criteria: readonly Criterion[];
}

export function FollowedPrompt({ arms, criteria }: FollowedProps) {
  const text = useText().rollouts;
  const groups = useApp((state) => state.pinnedGroups);
  const scroller = useRef<HTMLDivElement>(null);
  const steps = [...new Set(groups.map((group) => group.step))].sort((a, b) => a - b);
  return (
    <div className="followed">
      <h3>
        {text.followed} <span className="soft">{text.followedHint}</span>
      </h3>
      {steps.length === 0 && <p className="soft">{text.followWaits}</p>}
      {steps.length > 0 && (
        <div className="followed-scroll" ref={scroller} tabIndex={0} role="region" aria-label={text.followed}>
          {steps.map((step) => (
            <div key={step} className="followed-step">
              <h4>{text.step(step)}</h4>
              {arms.map((arm) => {
                const group = groups.find((known) => known.step === step && known.arm === arm.id);
                return group === undefined ? null : (
                  <BestAnswer key={arm.id} arm={arm} group={group} criteria={criteria} />
                );
              })}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

function BestAnswer(props: {
  readonly arm: ArmLook;
  readonly group: RolloutGroup;
  readonly criteria: readonly Criterion[];
}) {
  const { arm, group, criteria } = props;
  const best = group.rollouts[rankRollouts(group.rollouts)[0] ?? -1];
  if (best === undefined) return null;
  return (
    <div className="followed-answer" style={{ borderLeftColor: arm.color }}>
      <span className="soft">
        {arm.name} · {number(group.rewardMean)}
      </span>
      <p>{best.text}</p>
      <VerdictDots group={group} rollout={best} criteria={criteria} />
    </div>
  );
}
