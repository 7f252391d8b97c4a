/** The rollout inspector: one prompt's answers in one arm, now or at an earlier step; cards or a matrix; a prompt can be followed. */
import { useState } from "react";
import type { RolloutGroup } from "../../../domain/run/records.ts";
import type { Criterion } from "../../../domain/rubric/schema.ts";
import { bestMiddleWorst, rankRollouts } from "../../store/rollout-view.ts";
import { useActions, useApp } from "../app-context.ts";
import { fixed } from "../format.ts";
import { ArmSwitch, useArms, type ArmLook } from "../parts/arm.tsx";
import { Figure } from "../parts/figure.tsx";
import { SeedSwitch } from "../parts/seed.tsx";
import { Term } from "../parts/term.tsx";
import { useInTurn } from "../parts/use-in-turn.ts";
import { useText } from "../text/text-context.ts";
import { FollowedPrompt } from "./followed-prompt.tsx";
import { RolloutCard } from "./rollout-card.tsx";
import { TintKey } from "./tinted-text.tsx";
import { VerdictKey } from "./verdict-dots.tsx";
import { VerdictMatrix } from "./verdict-matrix.tsx";
import "./rollouts.css";

const NO_GROUPS: readonly RolloutGroup[] = [];

export function RolloutsPanel() {
  const text = useText().rollouts;
  const actions = useActions();
  const arms = useArms();
  const focus = useApp((state) => state.focusArm);
  const groups = useInTurn(useApp((state) => state.groups[state.focusArm] ?? NO_GROUPS));
  const criteria = useApp((state) => state.rubric.criteria);
  const following = useApp((state) => state.pinnedPromptId !== null);
  const [at, setAt] = useState(0);
  const [matrix, setMatrix] = useState(false);
  const [all, setAll] = useState(false);
  const group = groups[Math.min(at, groups.length - 1)];
  return (
    <section className="card wide rollouts" aria-labelledby="rollouts-title">
      <div className="card-title">
        <h2 id="rollouts-title">{text.title}</h2>
        <PanelHint group={group} arms={arms} />
        <span className="grow" />
        {groups.length > 1 && <PromptChoice groups={groups} at={at} onChoose={setAt} />}
        <StepChoice />
        <SeedSwitch />
        <ArmSwitch arms={arms} focus={focus} label={text.arm} onFocus={actions.focusArm} />
        <button
          type="button"
          className="pill small"
          aria-pressed={matrix}
          onClick={() => {
            setMatrix(!matrix);
          }}
        >
          {text.matrix}
        </button>
        <button
          type="button"
          className="pill small"
          aria-pressed={all}
          disabled={group === undefined || matrix}
          onClick={() => {
            setAll(!all);
          }}
        >
          {all ? text.showThree : text.showAll(group?.rollouts.length ?? 0)}
        </button>
      </div>
      {group === undefined && <NoGroup />}
      {group !== undefined && (
        <div className={matrix ? "rollout-grid with-matrix" : "rollout-grid"}>
          <PromptCard group={group} />
          {matrix ? (
            <VerdictMatrix group={group} criteria={criteria} />
          ) : (
            <Answers group={group} criteria={criteria} all={all} />
          )}
        </div>
      )}
      {following && <FollowedPrompt arms={arms} criteria={criteria} />}
    </section>
  );
}

function PanelHint({
  group,
  arms,
}: {
  readonly group: RolloutGroup | undefined;
  readonly arms: readonly ArmLook[];
}) {
  const text = useText().rollouts;
  if (group === undefined) return null;
  const arm = arms.find((known) => known.id === group.arm)?.name ?? group.arm;
  return <span className="soft">{text.hint(group.rollouts.length, arm)}</span>;
}

function NoGroup() {
  const text = useText().rollouts;
  const earlier = useApp((state) => state.rolloutStep !== null);
  return <p className="soft no-rollouts">{earlier ? text.notKept : text.none}</p>;
}

function Answers(props: {
  readonly group: RolloutGroup;
  readonly criteria: readonly Criterion[];
  readonly all: boolean;
}) {
  const { group, criteria, all } = props;
  const text = useText().rollouts;
  const ranked = rankRollouts(group.rollouts);
  const shown = all ? ranked : bestMiddleWorst(ranked);
  return shown.map((index, i) => {
    const rollout = group.rollouts[index];
    if (rollout === undefined) return null;
    const rank = all ? text.answer(i + 1) : (text.ranking[i] ?? text.answer(i + 1));
    return <RolloutCard key={index} group={group} rollout={rollout} criteria={criteria} rank={rank} />;
  });
}

function PromptCard({ group }: { readonly group: RolloutGroup }) {
  const text = useText().rollouts;
  const actions = useActions();
  const followed = useApp((state) => state.pinnedPromptId === group.promptId);
  return (
    <div className="prompt-card">
      <p>{group.promptText}</p>
      <p className="soft">
        {text.step(group.step)} · <Term name="groupMean" />{" "}
        <Figure width={5}>{fixed(group.rewardMean, 3)}</Figure> · <Term name="groupSpread" />{" "}
        <Figure width={5}>{fixed(group.rewardStd, 3)}</Figure>
      </p>
      <button
        type="button"
        className="pill small"
        aria-pressed={followed}
        onClick={() => void actions.pinPrompt(followed ? null : group.promptId)}
      >
        {followed ? text.unfollow : text.follow}
      </button>
      <p className="tint-line">
        <Term name="logProb" />
        <br />
        <TintKey />
      </p>
      <VerdictKey group={group} />
    </div>
  );
}

function PromptChoice(props: {
  readonly groups: readonly RolloutGroup[];
  readonly at: number;
  readonly onChoose: (at: number) => void;
}) {
  const text = useText().rollouts;
  return (
    <select
      className="prompt-choice"
      aria-label={text.prompt}
      value={Math.min(props.at, props.groups.length - 1)}
      onChange={(event) => {
        props.onChoose(Number(event.target.value));
      }}
    >
      {props.groups.map((group, i) => (
        <option key={group.promptId} value={i}>
          {group.promptText}
        </option>
      ))}
    </select>
  );
}

/** Steps back through the rollouts that were kept. */
function StepChoice() {
  const text = useText().rollouts;
  const actions = useActions();
  const newest = useApp((state) => state.run.step);
  const chosen = useApp((state) => state.rolloutStep);
  const step = chosen ?? newest;
  if (newest === 0) return null;
  const go = (to: number): void => {
    void actions.showRollouts(to >= newest ? null : Math.max(1, to));
  };
  return (
    <span className="step-choice">
      <button
        type="button"
        className="pill small"
        aria-label={text.earlier}
        disabled={step <= 1}
        onClick={() => {
          go(step - 1);
        }}
      >
        ‹
      </button>
      <span className="soft">{text.step(step)}</span>
      <button
        type="button"
        className="pill small"
        aria-label={text.later}
        disabled={chosen === null}
        onClick={() => {
          go(step + 1);
        }}
      >
        ›
      </button>
      {chosen !== null && (
        <button
          type="button"
          className="pill small"
          onClick={() => {
            go(newest);
          }}
        >
          {text.newest}
        </button>
      )}
    </span>
  );
}
