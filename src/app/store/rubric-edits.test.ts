import { expect, test } from "vitest";
import { criterionSchema, type Rubric } from "../../domain/rubric/schema.ts";
import {
  addCriterion,
  byCategory,
  freshCriterionId,
  removeCriterion,
  rubricProblem,
  setWeight,
} from "./rubric-edits.ts";

const criterion = (id: string, category: string, weight: number) =>
  criterionSchema.parse({ id, text: id, category, weight });
const rubric: Rubric = {
  title: "t",
  criteria: [criterion("a", "X", 2), criterion("b", "Y", 1), criterion("c", "X", 3)],
};

test("a new criterion joins its category and leaves the rest in place", () => {
  expect(addCriterion(rubric, criterion("d", "X", 1)).criteria.map((c) => c.id)).toEqual([
    "a",
    "b",
    "c",
    "d",
  ]);
  expect(addCriterion(rubric, criterion("e", "Y", 1)).criteria.map((c) => c.id)).toEqual([
    "a",
    "b",
    "e",
    "c",
  ]);
  expect(addCriterion(rubric, criterion("f", "Z", 1)).criteria.at(-1)?.id).toBe("f");
});

test("categories come in the order of their first criterion with their weights summed", () => {
  expect(byCategory(rubric).map(({ category, weight }) => [category, weight])).toEqual([
    ["X", 5],
    ["Y", 1],
  ]);
});

test("an edit leaves the rubric it started from alone", () => {
  expect(setWeight(rubric, "a", 9).criteria[0]?.weight).toBe(9);
  expect(rubric.criteria[0]?.weight).toBe(2);
});

test("fresh ids skip the ones ever used", () => {
  expect(freshCriterionId(["own-1", "own-3"])).toBe("own-2");
});

test("what cannot be trained on is named", () => {
  const zero = rubric.criteria.reduce((r, c) => setWeight(r, c.id, 0), rubric);
  expect(rubricProblem(zero)).toContain("all weights are 0");
  const empty = rubric.criteria.reduce((r, c) => removeCriterion(r, c.id), rubric);
  expect(rubricProblem(empty)).toContain("at least one criterion");
  expect(rubricProblem(rubric)).toBeNull();
});
