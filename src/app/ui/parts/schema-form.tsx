/** Inputs for fields read from a schema. Values go up as they are typed; the owner validates them. */
import { useState, type ReactNode } from "react";
import type { FieldSpec } from "./schema-fields.ts";

type Change = (name: string, value: unknown) => void;

interface SchemaFormProps {
  readonly fields: readonly FieldSpec[];
  readonly values: Readonly<Record<string, unknown>>;
  /** The field's words; its name when there are none. */
  readonly label: (field: FieldSpec) => ReactNode;
  /** A choice's words; its value when there are none. */
  readonly choiceLabel?: (choice: string) => string;
  readonly onChange: Change;
}

const asIs = (choice: string): string => choice;

export function SchemaForm({ fields, values, label, choiceLabel = asIs, onChange }: SchemaFormProps) {
  return (
    <div className="form-row">
      {fields.map((field) =>
        field.kind === "boolean" ? (
          <label key={field.name} className="form-check">
            <input
              type="checkbox"
              aria-description={field.help}
              checked={values[field.name] === true}
              onChange={(event) => {
                onChange(field.name, event.target.checked);
              }}
            />
            <span data-tip={field.help}>{label(field)}</span>
          </label>
        ) : (
          <label key={field.name} className="form-field">
            <span data-tip={field.help}>{label(field)}</span>
            <FieldInput
              field={field}
              value={values[field.name]}
              choiceLabel={choiceLabel}
              onChange={onChange}
            />
          </label>
        ),
      )}
    </div>
  );
}

interface InputProps {
  readonly field: FieldSpec;
  readonly value: unknown;
  readonly onChange: Change;
}

interface FieldProps extends InputProps {
  readonly choiceLabel: (choice: string) => string;
}

const asText = (value: unknown): string => (typeof value === "string" ? value : "");
const isOneOf = (value: unknown, choices: readonly string[]): boolean => choices.includes(asText(value));

function FieldInput({ field, value, choiceLabel, onChange }: FieldProps) {
  if (field.kind === "choice") {
    return (
      <select
        aria-description={field.help}
        value={asText(value)}
        onChange={(event) => {
          onChange(field.name, event.target.value);
        }}
      >
        {/* what was chosen before stays, though no prompt has it now */}
        {[...(isOneOf(value, field.choices) ? [] : [asText(value)]), ...field.choices].map((choice) => (
          <option key={choice} value={choice}>
            {choiceLabel(choice)}
          </option>
        ))}
      </select>
    );
  }
  if (field.kind === "choices") return <ChoicesInput field={field} value={value} onChange={onChange} />;
  return <TypedInput field={field} value={value} onChange={onChange} />;
}

function ChoicesInput({ field, value, onChange }: InputProps) {
  if (field.kind !== "choices") return null;
  const chosen = Array.isArray(value) ? (value as readonly unknown[]) : [];
  return (
    <select
      multiple
      aria-description={field.help}
      size={Math.min(field.choices.length, 7)}
      value={chosen.map(String)}
      onChange={(event) => {
        onChange(
          field.name,
          [...event.target.selectedOptions].map((option) => option.value),
        );
      }}
    >
      {field.choices.map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
    </select>
  );
}

/** The value as typed text. */
function written(field: FieldSpec, value: unknown): string {
  if (value === null || value === undefined) return "";
  if (field.kind === "lines") return Array.isArray(value) ? value.join("\n") : "";
  if (field.kind === "json") return JSON.stringify(value);
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Typed text as a value; what cannot be read goes up as text, and the schema says what is wrong with it. */
function read(field: FieldSpec, text: string): unknown {
  if (text === "" && field.nullable) return null;
  if (text === "" && field.optional) return undefined;
  if (field.kind === "number") return text.trim() === "" || Number.isNaN(Number(text)) ? text : Number(text);
  if (field.kind === "lines") return text.split("\n").filter((line) => line !== "");
  if (field.kind !== "json") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function TypedInput({ field, value, onChange }: InputProps) {
  const [text, setText] = useState<string | null>(null);
  const shown = text ?? written(field, value);
  const change = (next: string): void => {
    setText(next);
    onChange(field.name, read(field, next));
  };
  const settle = (): void => {
    setText(null);
  };
  if (field.kind === "lines" || field.kind === "json") {
    return (
      <textarea
        rows={3}
        aria-description={field.help}
        value={shown}
        onBlur={settle}
        onChange={(event) => {
          change(event.target.value);
        }}
      />
    );
  }
  return (
    <input
      aria-description={field.help}
      inputMode={field.kind === "number" ? "decimal" : "text"}
      value={shown}
      onBlur={settle}
      onChange={(event) => {
        change(event.target.value);
      }}
    />
  );
}
