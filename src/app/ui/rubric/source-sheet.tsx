/** The rubric as text: checked against the schema at every key, problems in place and as a list; using it is one edit. */
import { useId, useMemo, useRef, useState } from "react";
import {
  readSource,
  SOURCE_FORMS,
  writeSource,
  type SourceForm,
  type SourceReading,
} from "../../../domain/rubric/formats/rubric-source.ts";
import type { Rubric } from "../../../domain/rubric/schema.ts";
import { useActions, useApp } from "../app-context.ts";
import { Sheet } from "../parts/sheet.tsx";
import { useText } from "../text/text-context.ts";
import { SourceEditor, type SourceEditorHandle, type SourceMark } from "./source-editor.tsx";
import "./source.css";

/** What was written and not used yet. */
export interface SourceDraft {
  /** The rubric that it was begun from. */
  readonly of: Rubric;
  readonly form: SourceForm;
  readonly text: string;
}

interface SourceProps {
  /** Of the last time; null where there is none, or where it was used. */
  readonly draft: SourceDraft | null;
  readonly onDraft: (draft: SourceDraft | null) => void;
  readonly onClose: () => void;
}

/** Beside the page. */
const SCHEMA_URL = "rubric.schema.json";

export function SourceSheet({ draft, onDraft, onClose }: SourceProps) {
  const text = useText().rubricEditor.source;
  const actions = useActions();
  const rubric = useApp((state) => state.rubric);
  const kept = draft?.of === rubric ? draft : null;
  const [form, setForm] = useState<SourceForm>(kept?.form ?? "json");
  const [source, setSource] = useState(() => kept?.text ?? writeSource(rubric, form));
  const [turn, setTurn] = useState(0);
  const editor = useRef<SourceEditorHandle>(null);
  const reading = useMemo(() => readSource(source, form), [source, form]);
  const marks = useMemo(() => marksOf(reading, text.problem), [reading, text.problem]);
  const same = JSON.stringify(reading.rubric) === JSON.stringify(rubric);
  const write = (next: string, as: SourceForm): void => {
    setSource(next);
    onDraft({ of: rubric, form: as, text: next });
  };
  const renew = (of: Rubric, as: SourceForm): void => {
    setForm(as);
    write(writeSource(of, as), as);
    setTurn((old) => old + 1);
  };
  const use = (): void => {
    if (reading.rubric === null) return;
    actions.replaceRubric(reading.rubric);
    onDraft(null);
    onClose();
  };
  return (
    <Sheet
      title={text.title}
      onClose={onClose}
      foot={
        <>
          <button
            type="button"
            className="pill main"
            disabled={reading.rubric === null || same}
            onClick={use}
          >
            {text.apply}
          </button>
          <span className="soft grow">{same ? text.same : text.applied}</span>
          {!same && (
            <button
              type="button"
              className="pill"
              onClick={() => {
                renew(rubric, form);
              }}
            >
              {text.discard}
            </button>
          )}
        </>
      }
    >
      <div className="source-head">
        <FormChoice
          form={form}
          waits={reading.rubric === null}
          onChoose={(as) => {
            if (reading.rubric !== null) renew(reading.rubric, as);
          }}
        />
        <span className="soft">
          {text.checkedBy}{" "}
          <a href={SCHEMA_URL} target="_blank" rel="noreferrer">
            {text.schema}
          </a>
        </span>
      </div>
      <SourceEditor
        key={turn}
        ref={editor}
        text={source}
        form={form}
        marks={marks}
        label={text.label}
        onChange={(next) => {
          write(next, form);
        }}
      />
      <Problems
        source={source}
        marks={marks}
        onGo={(at) => {
          editor.current?.goTo(at);
        }}
      />
    </Sheet>
  );
}

function marksOf(
  { problems }: SourceReading,
  say: (expected: string, got: string) => string,
): readonly SourceMark[] {
  return problems.map(({ from, to, expected, got }) => ({ from, to, message: say(expected, got) }));
}

function FormChoice(props: {
  readonly form: SourceForm;
  readonly waits: boolean;
  readonly onChoose: (form: SourceForm) => void;
}) {
  const text = useText().rubricEditor.source;
  const name = useId();
  return (
    <fieldset className="source-forms" data-tip={props.waits ? text.formWaits : ""}>
      <legend>{text.form}</legend>
      {SOURCE_FORMS.map((form) => (
        <label key={form} className="form-check">
          <input
            type="radio"
            name={name}
            checked={props.form === form}
            disabled={props.waits && props.form !== form}
            onChange={() => {
              props.onChoose(form);
            }}
          />
          {text.forms[form]}
        </label>
      ))}
    </fieldset>
  );
}

/** More are counted, not listed. */
const MOST_SHOWN = 20;

/** Always as high, so that the text does not move while it is written. */
function Problems(props: {
  readonly source: string;
  readonly marks: readonly SourceMark[];
  readonly onGo: (at: number) => void;
}) {
  const { rubricEditor } = useText();
  const text = rubricEditor.source;
  const lineOf = (at: number): number => props.source.slice(0, at).split("\n").length;
  return (
    <div className="source-problems">
      <p role="status" className={props.marks.length > 0 ? "source-wrong" : "soft"}>
        {props.marks.length > 0 ? text.problems(props.marks.length) : text.fine}
      </p>
      <ul>
        {props.marks.slice(0, MOST_SHOWN).map((mark) => (
          <li key={`${mark.from} ${mark.message}`}>
            <button
              type="button"
              onClick={() => {
                props.onGo(mark.from);
              }}
            >
              {text.atLine(lineOf(mark.from), mark.message)}
            </button>
          </li>
        ))}
        {props.marks.length > MOST_SHOWN && (
          <li className="soft">{rubricEditor.notes.more(props.marks.length - MOST_SHOWN)}</li>
        )}
      </ul>
    </div>
  );
}
