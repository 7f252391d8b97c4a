/** Form fields drawn from a schema's JSON form: the check registry's arguments and the training settings share it. Pure. */

/** The part of JSON Schema that is read. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly description?: string;
}

export type FieldKind =
  | { readonly kind: "text" | "number" | "boolean" | "lines" | "json" }
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | { readonly kind: "choices"; readonly choices: readonly string[] };

export type FieldSpec = FieldKind & {
  readonly name: string;
  readonly help: string;
  /** May be left empty: null stands for it. */
  readonly nullable: boolean;
  readonly optional: boolean;
  readonly initial: unknown;
};

function strings(values: readonly unknown[] | undefined): readonly string[] | null {
  return values?.every((value) => typeof value === "string") === true ? values : null;
}

function kindOf(schema: JsonSchema): FieldKind {
  const choices = strings(schema.enum);
  if (choices !== null) return { kind: "choice", choices };
  const type = [schema.type ?? []].flat().find((name) => name !== "null");
  if (type === "string") return { kind: "text" };
  if (type === "number" || type === "integer") return { kind: "number" };
  if (type === "boolean") return { kind: "boolean" };
  if (type !== "array") return { kind: "json" };
  const itemChoices = strings(schema.items?.enum);
  if (itemChoices !== null) return { kind: "choices", choices: itemChoices };
  return { kind: schema.items?.type === "string" ? "lines" : "json" };
}

/** What a field starts with where the schema has no default. */
const EMPTY: Readonly<Record<FieldKind["kind"], unknown>> = {
  text: "",
  number: 1,
  boolean: false,
  lines: [],
  json: null,
  choice: "",
  choices: [],
};

function isNullable(schema: JsonSchema): boolean {
  const direct = [schema.type ?? []].flat().includes("null");
  return direct || schema.anyOf?.some((option) => option.type === "null") === true;
}

function initialOf(schema: JsonSchema, kind: FieldKind, nullable: boolean): unknown {
  if (schema.default !== undefined) return schema.default;
  if (nullable) return null;
  return kind.kind === "choice" ? (kind.choices[0] ?? "") : EMPTY[kind.kind];
}

/** A field per property of an object schema, in its order; nothing for other schemas. */
export function schemaFields(schema: JsonSchema): readonly FieldSpec[] {
  return Object.entries(schema.properties ?? {}).map(([name, property]): FieldSpec => {
    const real = property.anyOf?.find((option) => option.type !== "null") ?? property;
    const kind = kindOf(real);
    const nullable = isNullable(property);
    return {
      ...kind,
      name,
      help: property.description ?? real.description ?? "",
      nullable,
      optional: schema.required?.includes(name) !== true,
      initial: initialOf(property, kind, nullable),
    };
  });
}

/** Arguments to start a form with. */
export function initialValues(fields: readonly FieldSpec[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    fields
      .filter((field) => !(field.optional && field.initial === EMPTY[field.kind] && field.kind !== "boolean"))
      .map((field) => [field.name, field.initial]),
  );
}
