/** What the newest step of the focused arm taught, in words. */
import type { ReactNode } from "react";
import type { ArmStep } from "../../../domain/run/records.ts";
import type { Criterion, Rubric } from "../../../domain/rubric/schema.ts";
import { stepFacts, type StateShares, type StepFacts } from "../../../domain/run/step-facts.ts";
import { useApp } from "../app-context.ts";
import { percent } from "../format.ts";
import { useArms } from "../parts/arm.tsx";
import { InSeed } from "../parts/seed.tsx";
import { useText } from "../text/text-context.ts";
import "./sentence.css";

/** The step's criteria in the step's order; null when the rubric no longer holds them all. */
function criteriaOf(step: ArmStep, rubric: Rubric): readonly Criterion[] | null {
  const found = step.criteria.map((row) => rubric.criteria.find((criterion) => criterion.id === row.id));
  return found.every((criterion) => criterion !== undefined) ? found : null;
}

const flatShare = (shares: StateShares): number => shares.dead + shares.saturated;

export function SentencePanel() {
  const text = useText().sentence;
  return (
    <section className="card wide sentence" aria-label={text.title}>
      <Sentence />
    </section>
  );
}

function Sentence() {
  const text = useText().sentence;
  const latest = useApp((state) => state.latest);
  const focus = useApp((state) => state.focusArm);
  const rubric = useApp((state) => state.rubric);
  const step = latest[focus];
  if (step === undefined) return <p>{text.before}</p>;
  const criteria = criteriaOf(step, rubric) ?? [];
  const facts = stepFacts(step, criteria);
  if (facts.noSignal !== null) {
    return (
      <p>
        <b>{text.title}</b> {text.noSignal[facts.noSignal]}
      </p>
    );
  }
  return (
    <p>
      <b>{text.title}</b> <InSeed />
      <Counts facts={facts} /> <Shares facts={facts} hasWeights={criteria.length > 0} />{" "}
      <Strongest facts={facts} rubric={rubric} />
    </p>
  );
}

/** Which criterion set the answers apart, and whether judge errors did. */
function Strongest({ facts, rubric }: { readonly facts: StepFacts; readonly rubric: Rubric }) {
  const text = useText().sentence;
  const nameOf = (id: string | null): string | undefined =>
    rubric.criteria.find((criterion) => criterion.id === id)?.text;
  const name = nameOf(facts.teachesMost);
  const misleading = nameOf(facts.misleadsMost?.id ?? null);
  if (misleading === undefined) return name !== undefined && text.strongest(name);
  return (
    <>
      {text.misled(misleading, percent(facts.misleadsMost?.passRateBeforeNoise))}{" "}
      {name !== undefined && text.strongestTrue(name)}
    </>
  );
}

function Counts({ facts }: { readonly facts: StepFacts }) {
  const text = useText().sentence;
  const { dead, saturated, learning, unseen } = facts.counts;
  const all = dead + saturated + learning + unseen;
  if (unseen > all / 2) return text.early(unseen, all);
  return dead + saturated === 0 ? text.noneFlat(all) : text.flat(saturated, dead, all);
}

/** The flat share of every arm's reward; of the plain weights where no static arm shows it. */
function Shares({ facts, hasWeights }: { readonly facts: StepFacts; readonly hasWeights: boolean }) {
  const text = useText().sentence;
  const latest = useApp((state) => state.latest);
  const arms = useArms();
  if (facts.counts.dead + facts.counts.saturated === 0) return null;
  const shares = arms.flatMap((arm) => {
    const step = latest[arm.id];
    if (step === undefined) return [];
    const own = stepFacts(step, []).ownShares;
    return [
      {
        words: text.ofArm(arm.name),
        share: flatShare(own),
        paysMost: mostlySaturated(own) ? arm.name : null,
      },
    ];
  });
  if (hasWeights && !arms.some((arm) => arm.rule === "static-scalar")) {
    shares.unshift({ words: text.ofWeights, share: flatShare(facts.staticShares), paysMost: null });
  }
  const pays = shares.find((entry) => entry.paysMost !== null)?.paysMost;
  return (
    <>
      {text.hold}{" "}
      {shares.map(({ words, share }, i): ReactNode => (
        <span key={words}>
          {i > 0 && (i === shares.length - 1 ? ` ${text.and} ` : ", ")}
          <b>{percent(share)}</b> {words}
        </span>
      ))}
      . {pays !== null && pays !== undefined && text.paysMost(pays)}
    </>
  );
}

function mostlySaturated(shares: StateShares): boolean {
  return shares.saturated > Math.max(shares.learning, shares.dead, shares.unseen);
}
