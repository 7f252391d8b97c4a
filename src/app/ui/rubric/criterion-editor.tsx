/** Writes one criterion: words, category, weight, and which of the existing checks decides it, with a pane to try it on an answer. */
import { lazy, useMemo, useState } from "react";
import { findCheck, type CheckDef } from "../../../domain/rubric/checks/check.ts";
import { SIMILARITY_MODEL, WORDS_ALONE } from "../../../domain/rubric/checks/similar.ts";
import { criterionSchema, type CheckSpec, type Criterion } from "../../../domain/rubric/schema.ts";
import { hasJudge } from "../../store/planned-pressures.ts";
import { startsAnew } from "../../store/rubric-actions.ts";
import { addCriterion, replaceCriterion } from "../../store/rubric-edits.ts";
import { useActions, useApp, usePage } from "../app-context.ts";
import { PartBoundary } from "../parts/part-boundary.tsx";
import { sayIssues } from "../parts/problem-words.ts";
import { initialValues, schemaFields, type FieldSpec, type JsonSchema } from "../parts/schema-fields.ts";
import { SchemaForm } from "../parts/schema-form.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { useText } from "../text/text-context.ts";
import { CheckPicker } from "./check-picker.tsx";
import { TryPane } from "./try-pane.tsx";
import { WordFields } from "./word-fields.tsx";

/** Few criteria are compared by a model: it comes when one is. */
const SimilarityModel = lazy(async () => ({
  default: (await import("./similarity-model.tsx")).SimilarityModel,
}));

interface EditorProps {
  readonly criterion: Criterion;
  readonly isNew: boolean;
  readonly onClose: () => void;
}

/** What the criterion still needs, one sentence each; none when it can be used. */
function useProblems(draft: Criterion): readonly string[] {
  const { checks } = usePage();
  const text = useText();
  const { words, category, weight } = text.editor;
  const labels: Readonly<Record<string, string>> = { text: words, category, weight };
  const parsed = criterionSchema.safeParse(draft);
  const own = sayIssues(parsed.error?.issues ?? [], (field) => labels[field] ?? field, text.problems);
  const def = draft.check === null ? undefined : findCheck(checks, draft.check.type);
  const args = def?.args.safeParse(draft.check?.args);
  const fields = def === undefined ? [] : fieldsOf(def);
  const label = (field: string): string => {
    const help = fields.find(({ name }) => name === field)?.help;
    return text.editor.arguments[field] ?? (help === undefined || help === "" ? field : help);
  };
  return [...own, ...sayIssues(args?.error?.issues ?? [], label, text.problems)];
}

export function CriterionEditor({ criterion, isNew, onClose }: EditorProps) {
  const text = useText().editor;
  const actions = useActions();
  const rubric = useApp((state) => state.rubric);
  const [draft, setDraft] = useState(criterion);
  const problems = useProblems(draft);
  const untouched = draft.text === "" && draft.check === null;
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
            disabled={problems.length > 0}
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
      {!untouched && problems.length > 0 && (
        <ul className="form-problem" role="status">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      <TryPane rubric={tried} only={draft.id} ready={problems.length === 0} />
    </Sheet>
  );
}

/** The named parts of the run's prompts, each with the first one's own: what checks can ask an answer to take up. */
function usePromptParts(): Readonly<Record<string, string>> {
  const prompts = useApp((state) => state.spec?.trainPrompts);
  return useMemo(
    () =>
      Object.assign({}, ...(prompts ?? []).map(({ fields }) => fields).reverse()) as Record<string, string>,
    [prompts],
  );
}

/** The name of a prompt's part is chosen from those that the prompts have, not typed. */
function withPromptParts(field: FieldSpec, parts: Readonly<Record<string, string>>): FieldSpec {
  const names = Object.keys(parts);
  if (field.name !== "field" || field.kind !== "text" || names.length === 0) return field;
  return { ...field, kind: "choice", choices: names, initial: names[0] };
}

const fieldsOf = (def: CheckDef): readonly FieldSpec[] =>
  schemaFields(def.args.toJSONSchema({ io: "input" }) as JsonSchema);

function CheckFields(props: {
  readonly check: CheckSpec | null;
  readonly onChange: (check: CheckSpec | null) => void;
}) {
  const { check, onChange } = props;
  const text = useText();
  const { checks } = usePage();
  const judged = useApp(hasJudge);
  const def = check === null ? undefined : findCheck(checks, check.type);
  const fields = def === undefined ? [] : fieldsOf(def);
  const parts = usePromptParts();
  const choose = (type: string): void => {
    const chosen = findCheck(checks, type);
    if (chosen === undefined) onChange(null);
    else {
      const args = initialValues(fieldsOf(chosen).map((field) => withPromptParts(field, parts)));
      onChange({ type, args, negate: false });
    }
  };
  const label = (field: FieldSpec): string => {
    const words = field.help === "" ? field.name : field.help;
    const lines = field.kind === "lines" && !words.includes(text.editor.oneALine);
    return lines ? `${words} · ${text.editor.oneALine}` : words;
  };
  return (
    <>
      <CheckPicker type={check?.type ?? null} onChoose={choose} />
      <span className="soft">{def?.help ?? (judged ? text.judge.ready : text.rubric.needsJudgeWhy)}</span>
      {check !== null && def !== undefined && (
        <>
          <SchemaForm
            key={check.type}
            fields={fields.map((field) => withPromptParts(field, parts))}
            label={label}
            choiceLabel={(choice) => {
              const example = parts[choice];
              return example === undefined ? choice : text.editor.partAs(choice, example);
            }}
            values={check.args}
            onChange={(name, value) => {
              const others = Object.entries(check.args).filter(([key]) => key !== name);
              const args = Object.fromEntries(value === undefined ? others : [...others, [name, value]]);
              onChange({ ...check, args });
            }}
          />
          {check.args["by"] === SIMILARITY_MODEL && (
            <PartBoundary>
              <SimilarityModel
                words={text.checks.model}
                onWords={() => {
                  onChange({ ...check, args: { ...check.args, by: WORDS_ALONE } });
                }}
              />
            </PartBoundary>
          )}
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
