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
import { TakeAnswer } from "./try-answer.tsx";
import { MarkedAnswer } from "./try-marks.tsx";
import "./try-pane.css";

/** Offered to choose from; the chosen one is always among them. */
const MOST_PROMPTS = 40;
/** Far above any answer that this model can give; every check reads the whole text. */
const MOST_CHARACTERS = 20_000;

export function TrySheet({ onClose }: { readonly onClose: () => void }) {
  const text = useText().editor;
  const rubric = useApp((state) => state.rubric);
  return (
    <Sheet title={text.tryTitle} onClose={onClose}>
      <TryPane rubric={rubric} only={null} ready />
    </Sheet>
  );
}

interface TryPaneProps {
  readonly rubric: Rubric;
  /** Show one criterion's verdict alone. */
  readonly only: string | null;
  /** False while the criterion being written cannot be used yet. */
  readonly ready: boolean;
}

interface Tried {
  readonly promptId: string | null;
  readonly answer: string;
  readonly rubric: Rubric;
  readonly judgements: readonly Judgement[];
}

/** The prompt and the answer to try, and the verdicts on them for as long as they are those of what stands there. */
function useTry(rubric: Rubric) {
  const actions = useActions();
  const first = useApp((state) => state.spec?.trainPrompts[0]?.id ?? null);
  const sample = useApp((state) => state.groups[state.focusArm]?.[0]);
  // the newest answer stands beside the prompt it answers
  const [promptId, setPromptId] = useState<string | null>(sample?.promptId ?? first);
  const [answer, setAnswer] = useState(sample?.rollouts[0]?.text ?? "");
  const [tried, setTried] = useState<Tried | null>(null);
  const [fault, setFault] = useState<FaultMessage | null>(null);
  const stillHolds =
    tried?.answer === answer &&
    tried.promptId === promptId &&
    JSON.stringify(tried.rubric) === JSON.stringify(rubric);
  const go = async (): Promise<void> => {
    try {
      setTried({ promptId, answer, rubric, judgements: await actions.tryRubric(rubric, promptId, answer) });
      setFault(null);
    } catch (error) {
      setFault(requestFault(error, "tryRubric"));
    }
  };
  return { promptId, setPromptId, answer, setAnswer, tried: stillHolds ? tried : null, fault, go };
}

export function TryPane({ rubric, only, ready }: TryPaneProps) {
  const text = useText();
  const { promptId, setPromptId, answer, setAnswer, tried, fault, go } = useTry(rubric);
  const tooLong = answer.length > MOST_CHARACTERS;
  return (
    <section className="try-pane">
      {only !== null && <h3>{text.editor.tryTitle}</h3>}
      <TakeAnswer
        onTake={(taken) => {
          setAnswer(taken.text);
          setPromptId(taken.promptId);
        }}
      />
      <PromptChoice promptId={promptId} onPrompt={setPromptId} />
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
        <button type="button" className="pill" disabled={tooLong || !ready} onClick={() => void go()}>
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

function PromptChoice(props: {
  readonly promptId: string | null;
  readonly onPrompt: (promptId: string | null) => void;
}) {
  const text = useText().editor;
  const prompts = useApp((state) => state.spec?.trainPrompts) ?? [];
  return (
    <label className="form-field">
      <span>{text.tryPrompt}</span>
      <select
        value={props.promptId ?? ""}
        onChange={(event) => {
          props.onPrompt(event.target.value === "" ? null : event.target.value);
        }}
      >
        <option value="">{text.tryNoPrompt}</option>
        {prompts
          .filter(({ id }, i) => i < MOST_PROMPTS || id === props.promptId)
          .map(({ id, messages }) => (
            <option key={id} value={id}>
              {messages.at(-1)?.content}
            </option>
          ))}
      </select>
    </label>
  );
}

function TriedList({ tried, only }: { readonly tried: Tried; readonly only: string | null }) {
  const text = useText();
  const shown = tried.rubric.criteria
    .map((criterion, i) => ({ criterion, judgement: tried.judgements[i] }))
    .filter(({ criterion }) => only === null || criterion.id === only);
  const [chosen, setChosen] = useState<string | null>(null);
  const marked =
    shown.find(({ criterion }) => criterion.id === chosen) ??
    shown.find(({ judgement }) => (judgement?.spans.length ?? 0) > 0);
  return (
    <>
      <ul className="tried" aria-live="polite">
        {shown.map(({ criterion, judgement }) => (
          <TriedLine
            key={criterion.id}
            words={criterion.text}
            judgement={judgement}
            marked={criterion.id === marked?.criterion.id}
            onMark={() => {
              setChosen(criterion.id);
            }}
          />
        ))}
      </ul>
      {marked !== undefined && (
        <MarkedAnswer
          criterion={marked.criterion.text || text.editor.newTitle}
          answer={tried.answer}
          spans={marked.judgement?.spans ?? []}
        />
      )}
    </>
  );
}

interface TriedLineProps {
  readonly words: string;
  readonly judgement: Judgement | undefined;
  readonly marked: boolean;
  readonly onMark: () => void;
}

/** One criterion's verdict in words; pressed, its places are marked in the answer. */
function TriedLine({ words, judgement, marked, onMark }: TriedLineProps) {
  const text = useText();
  if (judgement === undefined) return null;
  const kind = verdictKind(judgement.verdict);
  const { meets, fails, partly, missing } = text.editor;
  const word = { pass: meets, fail: fails, part: partly(number(judgement.verdict)), missing }[kind];
  return (
    <li>
      <i className={`verdict-dot ${kind}`} aria-hidden />
      <span>
        <button type="button" aria-pressed={marked} data-tip={text.checks.mark} onClick={onMark}>
          <b>{words}</b>: {word}
        </button>
        <br />
        <span className="soft">{judgement.reason}</span>
      </span>
    </li>
  );
}
