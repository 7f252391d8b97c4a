import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { rubricJsonSchema } from "./rubric-set.ts";

test("the JSON Schema that editors read is the one of these fields (npm run rubric-schema)", () => {
  const published: unknown = JSON.parse(readFileSync("public/rubric.schema.json", "utf8"));
  expect(published).toEqual(rubricJsonSchema());
});

test("it asks for title and criteria, bounds the weights and lets prompts be left out", () => {
  expect(rubricJsonSchema()).toMatchObject({
    required: ["title", "criteria"],
    additionalProperties: false,
    properties: {
      criteria: {
        minItems: 1,
        items: {
          required: ["id", "text", "category", "weight"],
          additionalProperties: false,
          properties: { weight: { minimum: 0, maximum: 1000 }, penalty: { const: true } },
        },
      },
      prompts: { items: { required: ["id", "messages"] } },
    },
  });
});
