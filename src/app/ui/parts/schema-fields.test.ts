import { expect, test } from "vitest";
import { grpoConfigSchema } from "../../../domain/grpo/config.ts";
import { initialValues, schemaFields, type JsonSchema } from "./schema-fields.ts";

const schema: JsonSchema = {
  properties: {
    phrases: { type: "array", items: { type: "string" }, description: "one of these" },
    times: { type: "integer" },
    where: { type: "string", enum: ["start", "end"] },
    caseSensitive: { type: "boolean", default: true },
    limit: { anyOf: [{ type: "number" }, { type: "null" }], default: null },
    shape: { type: "object" },
  },
  required: ["phrases", "times", "where"],
};

test("every property becomes a field of its kind, in the schema's order", () => {
  expect(schemaFields(schema).map(({ name, kind }) => [name, kind])).toEqual([
    ["phrases", "lines"],
    ["times", "number"],
    ["where", "choice"],
    ["caseSensitive", "boolean"],
    ["limit", "number"],
    ["shape", "json"],
  ]);
});

test("null, help and defaults are read from the schema", () => {
  const [phrases, , where, caseSensitive, limit] = schemaFields(schema);
  expect(phrases).toMatchObject({ help: "one of these", optional: false, initial: [] });
  expect(where).toMatchObject({ choices: ["start", "end"], initial: "start" });
  expect(caseSensitive).toMatchObject({ initial: true, nullable: false });
  expect(limit).toMatchObject({ initial: null, nullable: true });
});

test("a form starts with what the schema needs and leaves the rest out", () => {
  expect(initialValues(schemaFields(schema))).toEqual({
    phrases: [],
    times: 1,
    where: "start",
    caseSensitive: true,
    limit: null,
  });
});

test("the training settings give a field for each setting, with the defaults that the schema parses to", () => {
  const fields = schemaFields(grpoConfigSchema.toJSONSchema({ io: "input" }) as JsonSchema);
  const values = initialValues(fields.filter((field) => field.kind !== "json"));
  expect(grpoConfigSchema.parse(values)).toEqual(grpoConfigSchema.parse({}));
  expect(fields.find((field) => field.name === "loss_type")).toMatchObject({
    kind: "choice",
    choices: ["grpo", "bnpo", "dr_grpo", "dapo"],
  });
});
