import { expect, test } from "vitest";
import { z } from "zod";
import { checks } from "../../../domain/rubric/checks/registry.ts";
import { criterionSchema } from "../../../domain/rubric/schema.ts";
import { en } from "../text/en.ts";
import { sayIssues } from "./problem-words.ts";

const say = (
  schema: { safeParse(value: unknown): ReturnType<typeof criterionSchema.safeParse> | { error?: never } },
  value: unknown,
): string[] =>
  sayIssues(schema.safeParse(value).error?.issues ?? [], (field) => field && `<${field}>`, en.problems);
const criterion = { id: "a", text: "Greets", category: "Tone", weight: 1 };

test.each([
  [{ ...criterion, text: "" }, ["<text>: fill this in"]],
  [{ ...criterion, weight: -1 }, ["<weight>: at least 0"]],
  [{ ...criterion, weight: Number.NaN }, ["<weight>: a number is needed"]],
  [{ ...criterion, text: "", category: "" }, ["<text>: fill this in", "<category>: fill this in"]],
  [criterion, []],
])("of the criterion %o is said %o", (value, said) => {
  expect(say(criterionSchema, value)).toEqual(said);
});

test.each([
  ["contains-prompt-field", { field: "" }, ["<field>: fill this in"]],
  ["contains-any", { phrases: [] }, ["<phrases>: at least one line"]],
  ["word-count", { min: 9, max: 3 }, ["The fewest words must not be more than the most"]],
  ["word-count", { min: 1.5, max: 3 }, ["<min>: a whole number is needed"]],
  ["names-no-other", { field: "problem" }, ["<field>: choose one of the list"]],
] as const)("of the check %s is said in words", (name, args, said) => {
  expect(say(checks[name].args as never, args)).toEqual(said);
});

test("bounds of settings are said in words", () => {
  const schema = z.object({ a: z.number().max(64), b: z.number().gt(2), c: z.number().lt(1) });
  const said = ["<a>: at most 64", "<b>: more than 2", "<c>: less than 1"];
  expect(say(schema as never, { a: 65, b: 2, c: 1 })).toEqual(said);
});
