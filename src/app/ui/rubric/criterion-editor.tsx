/** Writes one criterion: words, category, weight, and which of the existing checks decides it, with a pane to try it on an answer. */
import { useId, useState } from "react";
import { findCheck } from "../../../domain/rubric/checks/check.ts";
import { criterionSchema, type CheckSpec, type Criterion } from "../../../domain/rubric/schema.ts";
import { startsAnew } from "../../store/rubric-actions.ts";
import { addCriterion, replaceCriterion } from "../../store/rubric-edits.ts";
import { useActions, useApp, usePage } from "../app-context.ts";
import { initialValues, schemaFields, type FieldSpec, type JsonSchema } from "../parts/schema-fields.ts";
import { SchemaForm } from "../parts/schema-form.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { Term } from "../parts/term.tsx";
import { useText } from "../text/text-context.ts";
import { TryPane } from "./try-pane.tsx";

interface EditorProps {
  readonly criterion: Criterion;
  readonly isNew: boolean;
  readonly onClose: () => void;
}

/** Why the criterion cannot be used yet; null when it can. */
function useProblem(draft: Criterion): string | null {
  const { checks } = usePage();
  const text = useText().editor;
  const parsed = criterionSchema.safeParse(draft);
  if (!parsed.success)
    return parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ");
  const def = draft.check === null ? undefined : findCheck(checks, draft.check.type);
  if (draft.check === null || def === undefined) return null;
  const args = def.args.safeParse(draft.check.args);
  if (args.success) return null;
  return text.badArguments(
    args.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; "),
  );
}

export function CriterionEditor({ criterion, isNew, onClose }: EditorProps) {
  const text = useText().editor;
  const actions = useActions();
  const rubric = useApp((state) => state.rubric);
  const [draft, setDraft] = useState(criterion);
  const problem = useProblem(draft);
  const change = (part: Partial<Criterion>): void => {
    setDraft((old) => ({ ...old, ...part }));
  };
  const tried = isNew ? addCriterion(rubric, draft) : replaceCriterion(rubric, draft);
  return (
    <Sheet
      title={isNew ? text.newTitle : text.editTitle}
      onClose={onClose}
      foot={
        <>
          <button
            type="button"
            className="pill main"
            disabled={problem !== null}
            onClick={() => {
              actions.putCriterion(draft);
              onClose();
            }}
          >
            {text.save}
          </button>
          {!isNew && (
            <span className="soft grow">{startsAnew(criterion, draft) ? text.startsAnew : text.keeps}</span>
          )}
          {!isNew && (
            <button
              type="button"
              className="pill"
              onClick={() => {
                actions.removeCriterion(criterion.id);
                onClose();
              }}
            >
              {text.remove}
            </button>
          )}
        </>
      }
    >
      <WordFields draft={draft} onChange={change} />
      <CheckFields
        check={draft.check}
        onChange={(check) => {
          change({ check });
        }}
      />
      {problem !== null && draft.text !== "" && <p className="form-problem">{problem}</p>}
      {problem === null && <TryPane rubric={tried} only={draft.id} />}
    </Sheet>
  );
}

function WordFields({
  draft,
  onChange,
}: {
  readonly draft: Criterion;
  readonly onChange: (part: Partial<Criterion>) => void;
}) {
  const text = useText().editor;
  const categories = useApp((state) => state.rubric.criteria);
  const listId = useId();
  return (
    <>
      <label className="form-field">
        <span>{text.words}</span>
        <input
          value={draft.text}
          onChange={(event) => {
            onChange({ text: event.target.value });
          }}
        />
      </label>
      <div className="form-row">
        <label className="form-field">
          <span>{text.category}</span>
          <input
            list={listId}
            value={draft.category}
            onChange={(event) => {
              onChange({ category: event.target.value });
            }}
          />
          <datalist id={listId}>
            {[...new Set(categories.map((criterion) => criterion.category))].map((category) => (
              <option key={category} value={category} />
            ))}
          </datalist>
        </label>
        <label className="form-field">
          <span>{text.weight}</span>
          <input
            type="number"
            min={0}
            step="any"
            value={draft.weight}
            onChange={(event) => {
              onChange({ weight: event.target.valueAsNumber });
            }}
          />
        </label>
        <span className="form-check">
          <input
            id={`${listId}-required`}
            type="checkbox"
            checked={draft.required}
            onChange={(event) => {
              onChange({ required: event.target.checked });
            }}
          />
          <label htmlFor={`${listId}-required`}>{text.required}</label>
          <Term name="veto">?</Term>
        </span>
      </div>
    </>
  );
}

function CheckFields(props: {
  readonly check: CheckSpec | null;
  readonly onChange: (check: CheckSpec | null) => void;
}) {
  const { check, onChange } = props;
  const text = useText();
  const { checks } = usePage();
  const def = check === null ? undefined : findCheck(checks, check.type);
  const fields = def === undefined ? [] : schemaFields(def.args.toJSONSchema({ io: "input" }) as JsonSchema);
  const choose = (type: string): void => {
    const chosen = findCheck(checks, type);
    if (chosen === undefined) onChange(null);
    else {
      const args = initialValues(schemaFields(chosen.args.toJSONSchema({ io: "input" }) as JsonSchema));
      onChange({ type, args, negate: false });
    }
  };
  const label = (field: FieldSpec): string =>
    [field.help === "" ? field.name : field.help, field.kind === "lines" ? text.editor.oneALine : ""]
      .filter(Boolean)
      .join(" · ");
  return (
    <>
      <label className="form-field">
        <span>{text.editor.check}</span>
        <select
          value={check?.type ?? ""}
          onChange={(event) => {
            choose(event.target.value);
          }}
        >
          <option value="">{text.editor.noCheck}</option>
          {Object.entries(checks).map(([type, { title }]) => (
            <option key={type} value={type}>
              {title}
            </option>
          ))}
        </select>
        <span className="soft">{def?.help ?? text.rubric.needsJudgeWhy}</span>
      </label>
      {check !== null && def !== undefined && (
        <>
          <SchemaForm
            key={check.type}
            fields={fields}
            values={check.args}
            label={label}
            onChange={(name, value) => {
              const others = Object.entries(check.args).filter(([key]) => key !== name);
              const args = Object.fromEntries(value === undefined ? others : [...others, [name, value]]);
              onChange({ ...check, args });
            }}
          />
          <label className="form-check">
            <input
              type="checkbox"
              checked={check.negate}
              onChange={(event) => {
                onChange({ ...check, negate: event.target.checked });
              }}
            />
            {text.editor.negate}
          </label>
        </>
      )}
    </>
  );
}
