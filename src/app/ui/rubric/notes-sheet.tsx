/** The notes on the rubric, each with its figures and the criteria that it is about. */
import { LINT_MIN_ANSWERS, type LintNote } from "../../../domain/rubric/lint-note.ts";
import type { Criterion } from "../../../domain/rubric/schema.ts";
import { useApp, usePage } from "../app-context.ts";
import { number } from "../format.ts";
import { Sheet } from "../parts/sheet.tsx";
import type { Text } from "../text/en.ts";
import { useText } from "../text/text-context.ts";
import { SimilarityModel } from "./similarity-model.tsx";
import { useNotes } from "./use-notes.ts";
import "./notes.css";

/** More are counted, not listed. */
const MOST_SHOWN = 20;

interface NotesProps {
  readonly onEdit: (criterion: Criterion) => void;
  readonly onClose: () => void;
}

export function NotesSheet({ onEdit, onClose }: NotesProps) {
  const text = useText().rubricEditor.notes;
  const { app } = usePage();
  const notes = useNotes();
  const criteria = useApp((state) => state.rubric.criteria);
  const answers = Math.max(0, ...criteria.map((each) => app.buffer.seen().criterion(each).answers));
  const byId = new Map(criteria.map((criterion) => [criterion.id, criterion]));
  return (
    <Sheet title={text.title} onClose={onClose}>
      {notes.length === 0 ? <p>{text.none}</p> : null}
      <ul className="rubric-notes">
        {notes.slice(0, MOST_SHOWN).map((note) => {
          const own = note.criteria.flatMap((id) => byId.get(id) ?? []);
          return (
            <li key={`${note.kind} ${note.criteria.join(" ")}`}>
              <p>{sayNote(note, own, text)}</p>
              {own.map((criterion) => (
                <button
                  key={criterion.id}
                  type="button"
                  className="pill small"
                  onClick={() => {
                    onEdit(criterion);
                  }}
                >
                  {text.edit(criterion.text)}
                </button>
              ))}
            </li>
          );
        })}
      </ul>
      {notes.length > MOST_SHOWN && <p className="soft">{text.more(notes.length - MOST_SHOWN)}</p>}
      <p className="soft">
        {answers < LINT_MIN_ANSWERS ? text.few(answers, LINT_MIN_ANSWERS) : text.seen(answers)}
      </p>
      <SimilarityModel words={text.likeness} />
    </Sheet>
  );
}

function sayNote(
  note: LintNote,
  criteria: readonly Criterion[],
  text: Text["rubricEditor"]["notes"],
): string {
  const [a = "", b = ""] = criteria.map((criterion) => criterion.text);
  switch (note.kind) {
    case "same-check":
      return text["same-check"](a, b);
    case "same-words":
      return text["same-words"](a, b, number(note.likeness));
    case "same-meaning":
      return text["same-meaning"](a, b, number(note.likeness), note.by);
    case "same-verdicts":
      return text["same-verdicts"](a, b, note.answers, note.met);
    case "excluding":
      return text.excluding(
        text.metBy(a, note.met[0]),
        text.metBy(b, note.met[1]),
        note.answers,
        number(note.byChance),
      );
    case "cannot-fail":
      return text["cannot-fail"](a, note.answers);
  }
}
