import { expect, test } from "vitest";
import { criterionSchema, type Rubric } from "../../domain/rubric/schema.ts";
import {
  addCriterion,
  byCategory,
  freshCriterionId,
  moveCriterion,
  placeAfter,
  placeAt,
  removeCriterion,
  rubricProblem,
  setWeight,
  type MoveStep,
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

/** Category letters with the ids that stand in it. */
const table = (of: Rubric): string =>
  byCategory(of)
    .map(({ category, criteria }) => `${category}:${criteria.map(({ id }) => id).join("")}`)
    .join(" ");

test("a criterion moves within its category and into another; one that is left empty goes", () => {
  expect(table(rubric)).toBe("X:ac Y:b");
  expect(table(moveCriterion(rubric, "c", { category: "X", at: 0 }))).toBe("X:ca Y:b");
  expect(table(moveCriterion(rubric, "a", { category: "Y", at: 1 }))).toBe("X:c Y:ba");
  expect(table(moveCriterion(rubric, "b", { category: "X", at: 1 }))).toBe("X:abc");
  expect(table(moveCriterion(rubric, "a", { category: "Z", at: 0 }))).toBe("X:c Y:b Z:a");
  expect(moveCriterion(rubric, "nobody", { category: "X", at: 0 })).toBe(rubric);
});

test("steps by key reach every place, and end at the table's edges", () => {
  const step = (of: Rubric, id: string, to: MoveStep): Rubric => {
    const place = placeAfter(of, id, to);
    return place === null ? of : moveCriterion(of, id, place);
  };
  expect(table(step(rubric, "a", "down"))).toBe("X:ca Y:b");
  expect(table(step(rubric, "c", "down"))).toBe("X:a Y:cb");
  expect(table(step(rubric, "b", "up"))).toBe("X:acb");
  expect(table(step(rubric, "a", "category after"))).toBe("X:c Y:ba");
  expect(table(step(rubric, "b", "category before"))).toBe("X:acb");
  expect(placeAfter(rubric, "a", "up")).toBeNull();
  expect(placeAfter(rubric, "b", "down")).toBeNull();
  expect(placeAfter(rubric, "a", "category before")).toBeNull();
  expect(placeAfter(rubric, "nobody", "up")).toBeNull();
});

test("a dragged criterion comes above or below the row it is held over, or first in a category", () => {
  const below = placeAt(rubric, "b", { kind: "row", id: "a", below: true });
  expect(below).toEqual({ category: "X", at: 1 });
  expect(placeAt(rubric, "b", { kind: "row", id: "c", below: false })).toEqual({ category: "X", at: 1 });
  expect(placeAt(rubric, "a", { kind: "row", id: "c", below: true })).toEqual({ category: "X", at: 1 });
  expect(placeAt(rubric, "a", { kind: "category", category: "Y" })).toEqual({ category: "Y", at: 0 });
  expect(placeAt(rubric, "a", { kind: "row", id: "a", below: true })).toBeNull();
  expect(placeAt(rubric, "a", { kind: "row", id: "gone", below: true })).toBeNull();
});
