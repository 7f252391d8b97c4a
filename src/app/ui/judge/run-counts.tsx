/** The run's judges: live counts, and another budget while it stands or trains. */
import { useState } from "react";
import type { JudgeSpec } from "../../../domain/run/judge-spec.ts";
import type { JudgeUsage } from "../../../domain/run/judge-usage.ts";
import { useActions, useApp } from "../app-context.ts";
import { useText } from "../text/text-context.ts";
import { enJudge as text } from "../text/en-judge.ts";
import { JudgeCounts } from "./judge-counts.tsx";

export function RunCounts() {
  const usages = useApp((state) => state.judgeUsages);
  const judge = useApp((state) => state.spec?.judge);
  const heldOut = useApp((state) => state.spec?.heldOutJudge);
  if (usages.training === null && usages.heldOut === null) return null;
  return (
    <section className="set-up-section">
      <h3>{text.counts}</h3>
      <Counted of="training" title={text.training} judge={judge} usage={usages.training} />
      <Counted of="heldOut" title={text.heldOut} judge={heldOut} usage={usages.heldOut} />
    </section>
  );
}

interface CountedProps {
  readonly of: "training" | "heldOut";
  readonly title: string;
  readonly judge: JudgeSpec | undefined;
  readonly usage: JudgeUsage | null;
}

function Counted({ of, title, judge, usage }: CountedProps) {
  if (usage === null || judge === undefined) return null;
  return (
    <div>
      <b>{title}</b>
      <JudgeCounts usage={usage} />
      {judge.kind === "endpoint" && <Budget of={of} calls={judge.maxCalls} tokens={judge.maxTotalTokens} />}
    </div>
  );
}

interface BudgetProps {
  readonly of: "training" | "heldOut";
  readonly calls: number | null;
  readonly tokens: number | null;
}

const boundOf = (typed: string): number | null | undefined => {
  if (typed.trim() === "") return null;
  const bound = Number(typed);
  return Number.isInteger(bound) && bound > 0 ? bound : undefined;
};

function Budget({ of, calls, tokens }: BudgetProps) {
  const words = useText();
  const actions = useActions();
  const [typed, setTyped] = useState({ calls: String(calls ?? ""), tokens: String(tokens ?? "") });
  const [set, setSet] = useState(false);
  const type = (part: Partial<typeof typed>): void => {
    setTyped({ ...typed, ...part });
    setSet(false);
  };
  const maxCalls = boundOf(typed.calls);
  const maxTotalTokens = boundOf(typed.tokens);
  const ready = maxCalls !== undefined && maxTotalTokens !== undefined;
  return (
    <div className="form-row judge-budget">
      <label className="form-field">
        <span>{text.fields["maxCalls"]}</span>
        <input
          inputMode="numeric"
          value={typed.calls}
          onChange={({ target }) => {
            type({ calls: target.value });
          }}
        />
      </label>
      <label className="form-field">
        <span>{text.fields["maxTotalTokens"]}</span>
        <input
          inputMode="numeric"
          value={typed.tokens}
          onChange={({ target }) => {
            type({ tokens: target.value });
          }}
        />
      </label>
      <button
        type="button"
        className="pill small"
        disabled={!ready}
        data-tip={text.budgetMeans}
        onClick={() => {
          if (!ready) return;
          void actions.setJudgeBudget(of, { maxCalls, maxTotalTokens }).then(() => {
            setSet(true);
          });
        }}
      >
        {text.setBudget}
      </button>
      <span role="status" className="soft">
        {set ? text.budgetSet : ""}
      </span>
      {!ready && <p className="form-problem">{words.problems.empty}</p>}
    </div>
  );
}
