/** Which model: the bundled one, one of a hub, of this computer, of an address; and how it is held. */
import { WEIGHT_STORAGES } from "../../../domain/run/memory-plan.ts";
import { useId } from "react";
import { useText } from "../text/text-context.ts";
import { MODEL_KINDS, SUGGESTED, type ModelKind, type PickerProps } from "./draft.ts";
import { LocalFiles } from "./local-files.tsx";

interface ModelPickerProps extends PickerProps {
  /** Left out: all. */
  readonly kinds?: readonly ModelKind[];
}

export function ModelPicker({ draft, onChange, kinds = MODEL_KINDS }: ModelPickerProps) {
  const text = useText().models;
  const group = useId();
  return (
    <section className="set-up-section">
      <h3>{text.choose}</h3>
      <div className="model-kinds" role="radiogroup" aria-label={text.choose}>
        {kinds.map((kind) => (
          <label key={kind} className="form-check">
            <input
              type="radio"
              name={`${group}-kind`}
              checked={draft.kind === kind}
              onChange={() => {
                onChange({ kind });
              }}
            />
            {text.kinds[kind]}
          </label>
        ))}
      </div>
      <p className="soft">{text.means[draft.kind]}</p>
      {draft.kind === "hub" && <HubFields draft={draft} onChange={onChange} />}
      {draft.kind === "url" && (
        <Field
          label={text.address}
          value={draft.url}
          onValue={(url) => {
            onChange({ url });
          }}
        />
      )}
      {draft.kind === "files" && (
        <LocalFiles
          files={draft.files}
          onFiles={(files) => {
            onChange({ files });
          }}
        />
      )}
      {draft.kind !== "bundled" && <UseFields draft={draft} onChange={onChange} />}
    </section>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly tip?: string;
  readonly secret?: boolean;
  readonly list?: string;
}

function Field({ label, value, onValue, tip, secret = false, list }: FieldProps) {
  return (
    <label className="form-field">
      <span {...(tip === undefined ? {} : { "data-tip": tip })}>{label}</span>
      <input
        type={secret ? "password" : "text"}
        autoComplete="off"
        spellCheck={false}
        list={list}
        value={value}
        onChange={({ target }) => {
          onValue(target.value);
        }}
      />
    </label>
  );
}

function HubFields({ draft, onChange }: PickerProps) {
  const text = useText().models;
  const set = (name: "repo" | "revision" | "endpoint" | "token") => (value: string) => {
    onChange({ [name]: value });
  };
  return (
    <>
      <div className="presets model-suggestions">
        {SUGGESTED.map((repo) => (
          <button
            key={repo}
            type="button"
            className="pill small"
            aria-pressed={draft.repo === repo}
            onClick={() => {
              onChange({ repo });
            }}
          >
            {repo.split("/")[1]}
          </button>
        ))}
      </div>
      <Field label={text.repo} value={draft.repo} onValue={set("repo")} />
      <details>
        <summary className="soft">
          {draft.revision} · {draft.endpoint}
        </summary>
        <div className="form-row">
          <Field label={text.revision} value={draft.revision} onValue={set("revision")} />
          <Field label={text.endpoint} value={draft.endpoint} onValue={set("endpoint")} />
        </div>
        <Field label={text.token} tip={text.tokenMeans} secret value={draft.token} onValue={set("token")} />
        <p className="soft">{text.tokenMeans}</p>
      </details>
    </>
  );
}

function UseFields({ draft, onChange }: PickerProps) {
  const text = useText().models;
  const group = useId();
  return (
    <>
      <div className="form-row" role="radiogroup" aria-label={text.storage}>
        <span className="soft">{text.storage}</span>
        {WEIGHT_STORAGES.map((storage) => (
          <label key={storage} className="form-check">
            <input
              type="radio"
              name={`${group}-storage`}
              checked={draft.storage === storage}
              onChange={() => {
                onChange({ storage });
              }}
            />
            {text.storages[storage]}
          </label>
        ))}
      </div>
      <p className="soft">{text.storageMeans[draft.storage]}</p>
      <label className="form-check">
        <input
          type="checkbox"
          checked={draft.thinking}
          onChange={({ target }) => {
            onChange({ thinking: target.checked });
          }}
        />
        <span data-tip={text.thinkingMeans}>{text.thinking}</span>
      </label>
    </>
  );
}
