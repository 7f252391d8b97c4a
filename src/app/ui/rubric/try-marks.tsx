/** The whole answer with the places marked that decided one criterion. */
import type { Judgement } from "../../../domain/rubric/verdicts.ts";
import { useText } from "../text/text-context.ts";

interface MarkedProps {
  readonly criterion: string;
  readonly answer: string;
  readonly spans: Judgement["spans"];
}

/** A stretch of the answer, marked or not. */
interface Stretch {
  readonly start: number;
  readonly text: string;
  readonly marked: boolean;
}

export function MarkedAnswer({ criterion, answer, spans }: MarkedProps) {
  const text = useText().checks;
  return (
    <section className="marked-answer" aria-label={text.marked(criterion)}>
      {spans.length === 0 && <p className="soft">{text.nothingMarked}</p>}
      <p>
        {stretches(answer, spans).map(({ start, text: part, marked }) =>
          marked ? <mark key={start}>{part}</mark> : <span key={start}>{part}</span>,
        )}
      </p>
    </section>
  );
}

/** Overlapping places count as one. */
function stretches(answer: string, spans: Judgement["spans"]): Stretch[] {
  const parts: Stretch[] = [];
  let at = 0;
  const take = (end: number, marked: boolean): void => {
    if (end > at) parts.push({ start: at, text: answer.slice(at, end), marked });
    at = Math.max(at, end);
  };
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0])) {
    take(start, false);
    take(end, true);
  }
  take(answer.length, false);
  return parts;
}
