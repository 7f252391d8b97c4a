/** Which judge: none, an endpoint, a model in the page; and how it is asked. */
import { endpointJudgeSchema, localJudgeSchema } from "../../../domain/run/judge-spec.ts";
import { useApp } from "../app-context.ts";
import { SchemaForm } from "../parts/schema-form.tsx";
import { fieldsOf } from "../set-up/settings-form.tsx";
import { enJudge as text } from "../text/en-judge.ts";
import { JUDGE_KINDS, type JudgeDraft } from "./draft.ts";
import { SecondModel } from "./second-model.tsx";

const MORE = fieldsOf(
  endpointJudgeSchema.pick({
    concurrency: true,
    timeoutS: true,
    retries: true,
    temperature: true,
    max_tokens: true,
    maxCalls: true,
    maxTotalTokens: true,
    whenSpent: true,
    whenSilent: true,
  }),
);
const THRESHOLD = fieldsOf(localJudgeSchema.pick({ threshold: true }));
const STYLES = ["criterion", "rubric"] as const;

/** A key as it is typed; it goes to the worker when the judge is used. */
export interface KeyDraft {
  readonly key: string;
  readonly keep: boolean;
}

interface FieldsProps {
  /** Names its radio buttons. */
  readonly name: string;
  readonly draft: JudgeDraft;
  readonly keyDraft: KeyDraft;
  readonly onDraft: (draft: JudgeDraft) => void;
  readonly onKey: (key: KeyDraft) => void;
}

export function JudgeFields(props: FieldsProps) {
  const { name, draft, onDraft } = props;
  return (
    <>
      <div className="form-row" role="radiogroup" aria-label={text.title}>
        {JUDGE_KINDS.map((kind) => (
          <label key={kind} className="form-check">
            <input
              type="radio"
              name={`${name}-kind`}
              checked={draft.kind === kind}
              onChange={() => {
                onDraft({ ...draft, kind });
              }}
            />
            {text.kinds[kind]}
          </label>
        ))}
      </div>
      <p className="soft">{text.kindMeans[draft.kind]}</p>
      {draft.kind === "endpoint" && <EndpointFields {...props} />}
      {draft.kind === "local" && <LocalFields {...props} />}
    </>
  );
}

function EndpointFields({ name, draft, keyDraft, onDraft, onKey }: FieldsProps) {
  const { endpoint } = draft;
  const set = (field: string, value: unknown): void => {
    onDraft({ ...draft, endpoint: { ...endpoint, [field]: value } });
  };
  return (
    <>
      <div className="presets model-suggestions">
        {Object.entries(text.places).map(([place, url]) => (
          <button
            key={place}
            type="button"
            className="pill small"
            aria-pressed={endpoint["url"] === url}
            onClick={() => {
              set("url", url);
            }}
          >
            {place}
          </button>
        ))}
      </div>
      <div className="form-row">
        <TextField
          label={text.url}
          value={endpoint["url"]}
          onValue={(url) => {
            set("url", url);
          }}
        />
        <TextField
          label={text.model}
          value={endpoint["model"]}
          onValue={(model) => {
            set("model", model);
          }}
        />
      </div>
      <TextField
        label={text.key}
        secret
        value={keyDraft.key}
        onValue={(key) => {
          onKey({ ...keyDraft, key });
        }}
      />
      <label className="form-check">
        <input
          type="checkbox"
          checked={keyDraft.keep}
          onChange={({ target }) => {
            onKey({ ...keyDraft, keep: target.checked });
          }}
        />
        <span data-tip={text.keepMeans}>{text.keep}</span>
      </label>
      <p className="soft">{text.keyMeans}</p>
      <div className="judge-styles" role="radiogroup" aria-label={text.style}>
        {STYLES.map((style) => (
          <label key={style} className="form-check">
            <input
              type="radio"
              name={`${name}-style`}
              checked={endpoint["style"] === style}
              onChange={() => {
                set("style", style);
              }}
            />
            {text.styles[style]}
          </label>
        ))}
      </div>
      <details>
        <summary>{text.more}</summary>
        <SchemaForm
          fields={MORE}
          values={endpoint}
          label={(field) => text.fields[field.name] ?? field.name}
          choiceLabel={(choice) => text.choices[choice] ?? choice}
          onChange={set}
        />
        <p className="soft">{text.unbounded}</p>
      </details>
    </>
  );
}

function LocalFields({ name, draft, onDraft }: FieldsProps) {
  const model = useApp((state) => state.model);
  const { local } = draft;
  const set = (field: string, value: unknown): void => {
    onDraft({ ...draft, local: { ...local, [field]: value } });
  };
  const isBase = local["model"] === "base";
  const bundled = model?.identity === null;
  return (
    <>
      <div className="judge-styles" role="radiogroup" aria-label={text.localModel}>
        <label className="form-check">
          <input
            type="radio"
            name={`${name}-model`}
            checked={isBase}
            disabled={bundled}
            onChange={() => {
              set("model", "base");
            }}
          />
          {text.base(model?.name ?? "")}
        </label>
        {bundled && <p className="soft">{text.bundledRefused}</p>}
        <label className="form-check">
          <input
            type="radio"
            name={`${name}-model`}
            checked={!isBase}
            onChange={() => {
              set("model", { name: "" });
            }}
          />
          {text.second}
        </label>
      </div>
      {!isBase && (
        <SecondModel
          loaded={nameOf(local["model"])}
          onModel={(second) => {
            set("model", { name: second });
          }}
        />
      )}
      <SchemaForm fields={THRESHOLD} values={local} label={() => text.threshold} onChange={set} />
    </>
  );
}

function nameOf(model: unknown): string {
  return typeof model === "object" && model !== null && "name" in model ? String(model.name) : "";
}

interface TextFieldProps {
  readonly label: string;
  readonly value: unknown;
  readonly secret?: boolean;
  readonly onValue: (value: string) => void;
}

function TextField({ label, value, secret = false, onValue }: TextFieldProps) {
  return (
    <label className="form-field">
      <span>{label}</span>
      <input
        type={secret ? "password" : "text"}
        autoComplete="off"
        spellCheck={false}
        value={typeof value === "string" ? value : ""}
        onChange={({ target }) => {
          onValue(target.value);
        }}
      />
    </label>
  );
}
