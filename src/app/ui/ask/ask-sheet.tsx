/** The prompt box: one message, answered by the base model and by each arm's adapter side by side. */
import { useRef, useState } from "react";
import type { FaultMessage } from "../../../base/errors.ts";
import { requestFault } from "../../protocol/client.ts";
import { useActions, useApp, usePage } from "../app-context.ts";
import { useArms } from "../parts/arm.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { useText } from "../text/text-context.ts";
import { UnknownWords } from "./unknown-words.tsx";
import { WordPicker } from "./word-picker.tsx";
import "./ask.css";

interface Answered {
  readonly message: string;
  readonly answers: readonly {
    readonly arm: string | null;
    readonly text: string;
    readonly ended: boolean;
  }[];
}

/** Asks, and keeps the newest answers; an earlier question's late answer is dropped. */
function useChat() {
  const actions = useActions();
  const arms = useArms();
  const maxTokens = useApp((state) => state.settings.grpo.max_completion_length);
  const [answered, setAnswered] = useState<Answered | null>(null);
  const [waiting, setWaiting] = useState(false);
  const [fault, setFault] = useState<FaultMessage | null>(null);
  const asked = useRef(0);
  const ask = async (message: string, temperature: number): Promise<void> => {
    const mine = ++asked.current;
    setWaiting(true);
    setFault(null);
    try {
      const answers = await actions.chat({
        messages: [{ role: "user", content: message }],
        arms: [null, ...arms.map((arm) => arm.id)],
        temperature,
        seed: mine,
        maxTokens,
      });
      if (mine === asked.current) setAnswered({ message, answers });
    } catch (error) {
      if (mine === asked.current) setFault(requestFault(error, "chat"));
    }
    if (mine === asked.current) setWaiting(false);
  };
  return { ask, answered, waiting, fault };
}

export function AskSheet({ onClose }: { readonly onClose: () => void }) {
  const text = useText();
  const { words } = usePage();
  const running = useApp((state) => state.run.phase === "running");
  const ready = useApp((state) => state.model !== null);
  const examples = useApp((state) => state.spec?.heldOutPrompts);
  const exampleAt = (turn: number): string =>
    examples?.[turn % examples.length]?.messages.at(-1)?.content ?? "";
  const [turn, setTurn] = useState(0);
  const [message, setMessage] = useState(exampleAt(0));
  const [temperature, setTemperature] = useState(0);
  const { ask, answered, waiting, fault } = useChat();
  const insert = (word: string): void => {
    setMessage((old) => `${old}${old === "" || old.endsWith(" ") ? "" : " "}${word}`);
  };
  return (
    <Sheet title={text.ask.title} onClose={onClose}>
      <p className="soft">
        {text.ask.hint}. {text.ask.example}
      </p>
      <label className="form-field">
        <span>{text.ask.message}</span>
        <textarea
          rows={3}
          value={message}
          onChange={(event) => {
            setMessage(event.target.value);
          }}
        />
      </label>
      <UnknownWords typed={message} />
      <div className="form-row">
        <button
          type="button"
          className="pill small"
          onClick={() => {
            setTurn(turn + 1);
            setMessage(exampleAt(turn + 1));
          }}
        >
          {text.ask.another}
        </button>
        <WordPicker label={text.ask.name} words={words.names} onPick={insert} />
        <WordPicker label={text.ask.product} words={words.products} onPick={insert} />
        <label className="form-field">
          <span>
            {text.ask.temperature} {temperature.toFixed(1)}
          </span>
          <input
            type="range"
            min={0}
            max={1.5}
            step={0.1}
            value={temperature}
            onChange={(event) => {
              setTemperature(event.target.valueAsNumber);
            }}
          />
        </label>
      </div>
      <span>
        <button
          type="button"
          className="pill main"
          disabled={!ready || waiting || message.trim() === ""}
          onClick={() => void ask(message, temperature)}
        >
          {waiting ? text.ask.waiting : text.ask.go}
        </button>{" "}
        {waiting && running && <span className="soft">{text.ask.busy}</span>}
      </span>
      {fault !== null && (
        <p className="form-problem" role="alert">
          {text.faults.codes[fault.code]} {fault.message}
        </p>
      )}
      {answered !== null && <Answers answered={answered} />}
    </Sheet>
  );
}

function Answers({ answered }: { readonly answered: Answered }) {
  const text = useText();
  const arms = useArms();
  return (
    <div className="ask-answers" aria-live="polite">
      <p className="soft">{answered.message}</p>
      {answered.answers.map(({ arm, text: answer, ended }) => {
        const look = arms.find((known) => known.id === arm);
        return (
          <article key={arm ?? "base"} style={{ borderLeftColor: look?.color ?? "var(--field)" }}>
            <h3>{look?.name ?? arm ?? text.ask.base}</h3>
            <p>
              {answer === "" ? text.rollouts.nothing : answer}
              {!ended && <span className="soft"> ({text.rollouts.cut})</span>}
            </p>
          </article>
        );
      })}
    </div>
  );
}
