/** What can be done to the rubric as a whole. The buttons keep their places while a run goes on. */
import { useActions, useApp } from "../app-context.ts";
import { useText } from "../text/text-context.ts";
import { useNotes } from "./use-notes.ts";

/** What opens from here. */
export type RubricSheet = "try" | "source" | "templates" | "notes";

interface ButtonsProps {
  readonly onAdd: () => void;
  readonly onOpen: (sheet: RubricSheet) => void;
}

export function RubricButtons({ onAdd, onOpen }: ButtonsProps) {
  const { judge, rubric: text, rubricEditor } = useText();
  const actions = useActions();
  const canUndo = useApp((state) => state.undo.length > 0);
  const canRedo = useApp((state) => state.redo.length > 0);
  const opener = (sheet: RubricSheet) => (): void => {
    onOpen(sheet);
  };
  return (
    <div className="rubric-buttons">
      <button type="button" className="pill small" onClick={onAdd}>
        {text.add}
      </button>
      <button type="button" className="pill small" onClick={opener("try")}>
        {text.tryIt}
      </button>
      <button type="button" className="pill small" onClick={opener("templates")}>
        {rubricEditor.templates.open}
      </button>
      <button type="button" className="pill small" onClick={opener("source")}>
        {rubricEditor.source.open}
      </button>
      <button
        type="button"
        className="pill small"
        onClick={() => {
          actions.askJudge(true);
        }}
      >
        {judge.open}
      </button>
      <NotesButton onClick={opener("notes")} />
      <span className="grow" />
      <button
        type="button"
        className="pill small"
        disabled={!canUndo}
        data-tip={rubricEditor.undoHow}
        onClick={actions.undoEdit}
      >
        {text.undo}
      </button>
      <button
        type="button"
        className="pill small"
        disabled={!canRedo}
        data-tip={rubricEditor.redoHow}
        onClick={actions.redoEdit}
      >
        {rubricEditor.redo}
      </button>
    </div>
  );
}

/** As wide with a count as without. */
function NotesButton({ onClick }: { readonly onClick: () => void }) {
  const text = useText().rubricEditor.notes;
  const { length } = useNotes();
  return (
    <button
      type="button"
      className="pill small"
      data-tip={length === 0 ? "" : text.count(length)}
      onClick={onClick}
    >
      {text.open} <span className="note-count">{length > 0 && length}</span>
    </button>
  );
}
