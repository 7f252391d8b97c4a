/** The text editor of the source view: CodeMirror with the schema's problems marked in place. Tab leaves it, as every field. */
import { useEffect, useImperativeHandle, useRef, type Ref } from "react";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { SourceForm } from "../../../domain/rubric/formats/rubric-source.ts";

/** A problem in words at the characters [from, to). */
export interface SourceMark {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

export interface SourceEditorHandle {
  /** Puts the cursor at a character and the focus into the text. */
  goTo(at: number): void;
}

interface SourceEditorProps {
  /** The text to begin with; another `form` begins anew. */
  readonly text: string;
  readonly form: SourceForm;
  readonly marks: readonly SourceMark[];
  readonly label: string;
  readonly onChange: (text: string) => void;
  readonly ref: Ref<SourceEditorHandle>;
}

const highlight = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--up)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--down)" },
  { tag: tags.comment, color: "var(--soft)" },
]);

const theme = EditorView.theme({
  "&": { height: "100%", fontSize: "13px", backgroundColor: "var(--card)", color: "var(--ink)" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: "ui-monospace, monospace", overflow: "auto" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--faint)", color: "var(--soft)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--faint)" },
  ".cm-selectionBackground, ::selection": { backgroundColor: "var(--line) !important" },
  ".cm-tooltip": { backgroundColor: "var(--card)", color: "var(--ink)", border: "1px solid var(--field)" },
});

export function SourceEditor({ text, form, marks, label, onChange, ref }: SourceEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const told = useRef(onChange);
  const first = useRef(text);
  useEffect(() => {
    told.current = onChange;
    first.current = text;
  });
  useEffect(() => {
    if (place.current === null) return undefined;
    const state = EditorState.create({
      doc: first.current,
      extensions: [
        lineNumbers(),
        history(),
        bracketMatching(),
        highlightActiveLine(),
        EditorView.lineWrapping,
        form === "json" ? json() : yaml(),
        syntaxHighlighting(highlight),
        lintGutter(),
        theme,
        keymap.of([...lintKeymap, ...historyKeymap, ...defaultKeymap]),
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) told.current(update.state.doc.toString());
        }),
      ],
    });
    view.current = new EditorView({ state, parent: place.current });
    return () => {
      view.current?.destroy();
    };
  }, [form, label]);
  useEffect(() => {
    const open = view.current;
    if (open === null) return;
    const { length } = open.state.doc;
    const fit = marks.filter(({ to }) => to <= length);
    open.dispatch(
      setDiagnostics(
        open.state,
        fit.map((mark) => ({ ...mark, severity: "error" as const })),
      ),
    );
  }, [marks, form]);
  useImperativeHandle(ref, () => ({
    goTo: (at) => {
      view.current?.dispatch({ selection: { anchor: at }, scrollIntoView: true });
      view.current?.focus();
    },
  }));
  return <div ref={place} className="source-editor" />;
}
