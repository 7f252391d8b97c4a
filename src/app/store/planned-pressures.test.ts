import { expect, test } from "vitest";
import { criterionSchema } from "../../domain/rubric/schema.ts";
import { hasJudge, plannedPressures } from "./planned-pressures.ts";

const check = { type: "contains-any", args: { phrases: ["sorry"] } };
const criteria = [
  criterionSchema.parse({ id: "says-sorry", text: "Says sorry", category: "Tone", weight: 3, check }),
  criterionSchema.parse({ id: "is-kind", text: "Is kind", category: "Tone", weight: 1 }),
];

test("without a judge free words have no share, and the rest hold it all", () => {
  expect(plannedPressures(criteria, "static-scalar", [], false)).toEqual([1, null]);
});

test("with a judge free words count by their weight", () => {
  expect(plannedPressures(criteria, "static-scalar", [], true)).toEqual([0.75, 0.25]);
});

test("where nobody reads any criterion there are no shares", () => {
  expect(plannedPressures(criteria.slice(1), "pow3r", [], false)).toEqual([null]);
});

test("the run's judge counts, not the one that stands in the settings of the next", () => {
  const judge = { kind: "local", model: "base", threshold: 0.5 } as const;
  const none = { spec: null, settings: {} } as unknown as Parameters<typeof hasJudge>[0];
  expect(hasJudge(none)).toBe(false);
  expect(hasJudge({ ...none, settings: { ...none.settings, judge } })).toBe(true);
  expect(hasJudge({ spec: {} as typeof none.spec, settings: { ...none.settings, judge } })).toBe(false);
});
