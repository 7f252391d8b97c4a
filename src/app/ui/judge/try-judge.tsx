/** One answer under every criterion, by the judge that stands in the sheet, beside the checks' verdicts. */
import { useState } from "react";
import type { JudgeSpec } from "../../../domain/run/judge-spec.ts";
import { appliesTo } from "../../../domain/rubric/criteria.ts";
import type { Rubric } from "../../../domain/rubric/schema.ts";
import type { Judgement } from "../../../domain/rubric/verdicts.ts";
import type { Result } from "../../protocol/messages.ts";
import { useActions, useApp } from "../app-context.ts";
import { verdictKind } from "../format.ts";
import { enJudge as text } from "../text/en-judge.ts";
import { AskingButtons } from "./asking-buttons.tsx";
import { useAsking } from "./use-asking.ts";

const MOST_PROMPTS = 40;
const MOST_CHARACTERS = 20_000;

interface TryProps {
  /** null while the sheet holds none that can be used. */
  readonly judge: JudgeSpec | null;
  /** Sends what the judge needs, such as a key that was just typed. */
  readonly onReady: () => Promise<void>;
}

type Tried = Result<"tryJudge"> & { readonly rubric: Rubric; readonly promptId: string | null };

export function TryJudge({ judge, onReady }: TryProps) {
  const actions = useActions();
  const rubric = useApp((state) => state.rubric);
  const prompts = useApp((state) => state.spec?.trainPrompts) ?? [];
  const sample = useApp((state) => state.groups[state.focusArm]?.[0]);
  const [promptId, setPromptId] = useState(sample?.promptId ?? prompts[0]?.id ?? "");
  const [answer, setAnswer] = useState(sample?.rollouts[0]?.text ?? "");
  const { busy, result, fault, ask } = useAsking<Tried>("tryJudge");
  const go = async (spec: JudgeSpec): Promise<void> => {
    await ask(async () => {
      await onReady();
      const asked = promptId === "" ? null : promptId;
      return { ...(await actions.tryJudge(spec, asked, answer)), rubric, promptId: asked };
    });
  };
  return (
    <section className="set-up-section">
      <h3>{text.try}</h3>
      <p className="soft">{text.tryMeans}</p>
      <label className="form-field">
        <span>{text.prompt}</span>
        <select
          value={promptId}
          onChange={({ target }) => {
            setPromptId(target.value);
          }}
        >
          {prompts
            .filter(({ id }, i) => i < MOST_PROMPTS || id === promptId)
            .map(({ id, messages }) => (
              <option key={id} value={id}>
                {messages.at(-1)?.content}
              </option>
            ))}
        </select>
      </label>
      <label className="form-field">
        <span>{text.answer}</span>
        <textarea
          rows={4}
          maxLength={MOST_CHARACTERS}
          value={answer}
          onChange={({ target }) => {
            setAnswer(target.value);
          }}
        />
      </label>
      <AskingButtons
        label={text.try}
        ready={judge !== null}
        busy={busy}
        fault={fault}
        onAsk={() => {
          if (judge !== null) void go(judge);
        }}
      />
      {result !== null && <TriedList tried={result} />}
    </section>
  );
}

function TriedList({ tried: { rubric, promptId, judged, checked } }: { readonly tried: Tried }) {
  const counting = rubric.criteria.filter((criterion) => promptId === null || appliesTo(criterion, promptId));
  const others = rubric.criteria.length - counting.length;
  return (
    <ul className="tried" aria-live="polite">
      {others > 0 && <li className="soft">{text.others(others)}</li>}
      {counting.map((criterion) => {
        const i = rubric.criteria.indexOf(criterion);
        const own = judged[i];
        const check = checked[i] ?? null;
        if (own === undefined) return null;
        const penalty = criterion.penalty === true;
        return (
          <li key={criterion.id}>
            <i className={`verdict-dot ${verdictKind(own.verdict)}`} aria-hidden />
            <span>
              <b>{criterion.text}</b>
              {penalty && ` ${text.penalty}`}: {wordOf(own, penalty)}
              {check !== null && `; ${text.byCheck} ${wordOf(check, penalty)}`}
              <br />
              <span className="soft">{own.reason}</span>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** Whether the criterion's words are met: a penalty's verdict is 1 where they are not. */
function wordOf({ verdict }: Judgement, penalty: boolean): string {
  if (verdict === null) return text.noVerdict;
  return verdict >= 0.5 !== penalty ? text.met : text.notMet;
}
