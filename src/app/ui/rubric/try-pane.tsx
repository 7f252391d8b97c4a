/** Checks a pasted answer against the rubric: each verdict with what decided it. */
import { useState } from "react";
import type { FaultMessage } from "../../../base/errors.ts";
import type { Rubric } from "../../../domain/rubric/schema.ts";
import type { Judgement } from "../../../domain/rubric/verdicts.ts";
import { requestFault } from "../../protocol/client.ts";
import { useActions, useApp } from "../app-context.ts";
import { number, verdictKind } from "../format.ts";
import { Sheet } from "../parts/sheet.tsx";
import { useText } from "../text/text-context.ts";
import "./try-pane.css";

/** Far above any answer that this model can give; every check reads the whole text. */
const MOST_CHARACTERS = 20_000;

export function TrySheet({ onClose }: { readonly onClose: () => void }) {
  const text = useText().editor;
  const rubric = useApp((state) => state.rubric);
  return (
    <Sheet title={text.tryTitle} onClose={onClose}>
      <TryPane rubric={rubric} only={null} />
    </Sheet>
  );
}

interface TryPaneProps {
  readonly rubric: Rubric;
  /** Show one criterion's verdict alone. */
  readonly only: string | null;
}

interface Tried {
  readonly answer: string;
  readonly rubric: Rubric;
  readonly judgements: readonly Judgement[];
}

export function TryPane({ rubric, only }: TryPaneProps) {
  const text = useText();
  const actions = useActions();
  const prompts = useApp((state) => state.spec?.trainPrompts);
  const sample = useApp((state) => state.groups[state.focusArm]?.[0]?.rollouts[0]?.text ?? "");
  const [promptId, setPromptId] = useState<string | null>(prompts?.[0]?.id ?? null);
  const [answer, setAnswer] = useState(sample);
  const [tried, setTried] = useState<Tried | null>(null);
  const [fault, setFault] = useState<FaultMessage | null>(null);
  const tooLong = answer.length > MOST_CHARACTERS;
  const go = async (): Promise<void> => {
    try {
      setTried({ answer, rubric, judgements: await actions.tryRubric(rubric, promptId, answer) });
      setFault(null);
    } catch (error) {
      setFault(requestFault(error, "tryRubric"));
    }
  };
  return (
    <section className="try-pane">
      {only !== null && <h3>{text.editor.tryTitle}</h3>}
      <label className="form-field">
        <span>{text.editor.tryPrompt}</span>
        <select
          value={promptId ?? ""}
          onChange={(event) => {
            setPromptId(event.target.value === "" ? null : event.target.value);
          }}
        >
          <option value="">{text.editor.tryNoPrompt}</option>
          {prompts?.slice(0, 40).map((prompt) => (
            <option key={prompt.id} value={prompt.id}>
              {prompt.messages.at(-1)?.content}
            </option>
          ))}
        </select>
      </label>
      <label className="form-field">
        <span>{text.editor.tryAnswer}</span>
        <textarea
          rows={4}
          value={answer}
          onChange={(event) => {
            setAnswer(event.target.value);
          }}
        />
      </label>
      <span>
        <button type="button" className="pill" disabled={tooLong} onClick={() => void go()}>
          {text.editor.tryGo}
        </button>
      </span>
      {tooLong && (
        <p className="form-problem" role="alert">
          {text.editor.tryTooLong(answer.length, MOST_CHARACTERS)}
        </p>
      )}
      {fault !== null && (
        <p className="form-problem" role="alert">
          {text.faults.codes[fault.code]} {fault.message}
        </p>
      )}
      {tried !== null && <TriedList tried={tried} only={only} />}
    </section>
  );
}

function TriedList({ tried, only }: { readonly tried: Tried; readonly only: string | null }) {
  const text = useText().editor;
  return (
    <ul className="tried" aria-live="polite">
      {tried.rubric.criteria.map((criterion, i) => {
        const judgement = tried.judgements[i];
        if (judgement === undefined || (only !== null && criterion.id !== only)) return null;
        const kind = verdictKind(judgement.verdict);
        const word = {
          pass: text.meets,
          fail: text.fails,
          part: text.partly(number(judgement.verdict)),
          missing: text.missing,
        };
        return (
          <li key={criterion.id}>
            <i className={`verdict-dot ${kind}`} aria-hidden />
            <span>
              <b>{criterion.text}</b> {word[kind]}
              <br />
              <span className="soft">{judgement.reason}</span>
              {judgement.spans.length > 0 && <Matched answer={tried.answer} spans={judgement.spans} />}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** The answer's pieces that decided, each with a little of what stands around it. */
function Matched({ answer, spans }: { readonly answer: string; readonly spans: Judgement["spans"] }) {
  const around = 18;
  return (
    <span className="matched">
      {spans.slice(0, 3).map(([start, end]) => (
        <q key={`${String(start)}-${String(end)}`}>
          {start > around ? "…" : ""}
          {answer.slice(Math.max(0, start - around), start)}
          <mark>{answer.slice(start, end)}</mark>
          {answer.slice(end, end + around)}
          {end + around < answer.length ? "…" : ""}
        </q>
      ))}
    </span>
  );
}
