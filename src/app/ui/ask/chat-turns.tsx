/** The conversation: each message with the answers of the base and of every arm side by side. */
import { useArms } from "../parts/arm.tsx";
import { useText } from "../text/text-context.ts";
import type { Turn, Written } from "./use-chat.ts";

interface TurnsProps {
  readonly turns: readonly Turn[];
  /** "" = the base. */
  readonly arms: readonly string[];
  readonly waiting: boolean;
}

export function ChatTurns({ turns, arms, waiting }: TurnsProps) {
  if (turns.length === 0) return null;
  return (
    <div className="ask-turns" aria-live="polite" aria-busy={waiting}>
      {turns.map((turn, i) => (
        <section key={i} className="ask-turn">
          <p className="ask-message">{turn.message}</p>
          <div className="ask-answers">
            {arms.map((arm) => (
              <Answer key={arm} arm={arm} written={turn.answers[arm]} />
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}

interface AnswerProps {
  readonly arm: string;
  readonly written: Written | undefined;
}

function Answer({ arm, written }: AnswerProps) {
  const text = useText();
  const look = useArms().find((known) => known.id === arm);
  const name = arm === "" ? text.ask.base : arm;
  return (
    <article
      style={{ borderLeftColor: look?.color ?? "var(--field)" }}
      data-writing={written !== undefined && written.end === null}
    >
      <h3>{look?.name ?? name}</h3>
      <p>{written === undefined ? text.missing : <Words written={written} />}</p>
    </article>
  );
}

function Words({ written: { text: shown, end } }: { readonly written: Written }) {
  const text = useText();
  const ends = { finished: null, length: text.rollouts.cut, stopped: text.ask.stopped };
  const why = end === null ? null : ends[end];
  return (
    <>
      {shown === "" && end === "finished" ? text.rollouts.nothing : shown}
      {why !== null && <span className="soft"> ({why})</span>}
    </>
  );
}
