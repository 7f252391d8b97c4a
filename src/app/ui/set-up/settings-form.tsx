/** Settings of one group as a form: plain names beside TRL's, drawn from the schema. */
import { schemaFields, type FieldSpec, type JsonSchema } from "../parts/schema-fields.ts";
import { SchemaForm } from "../parts/schema-form.tsx";
import { useText } from "../text/text-context.ts";
import { settingLabel, settingMeaning, type SettingGroup } from "./setting-words.ts";

export const fieldsOf = (schema: { toJSONSchema(params: { io: "input" }): unknown }): readonly FieldSpec[] =>
  schemaFields(schema.toJSONSchema({ io: "input" }) as JsonSchema);

interface FormProps {
  readonly group: SettingGroup;
  readonly fields: readonly FieldSpec[];
  readonly values: Readonly<Record<string, unknown>>;
  readonly onChange: (values: Readonly<Record<string, unknown>>) => void;
}

export function SettingsForm({ group, fields, values, onChange }: FormProps) {
  const text = useText();
  return (
    <SchemaForm
      fields={fields.map((field) => ({ ...field, help: settingMeaning(text, group, field.name) }))}
      values={values}
      label={(field) => (
        <>
          {settingLabel(text, group, field.name)} <code>{field.name}</code>
        </>
      )}
      onChange={(name, value) => {
        onChange({ ...values, [name]: value });
      }}
    />
  );
}
