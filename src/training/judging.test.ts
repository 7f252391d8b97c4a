import { expect, test } from "vitest";
import { defined } from "../base/assert.ts";
import { criteriaFor } from "../domain/rubric/criteria.ts";
import { checks } from "../domain/rubric/checks/registry.ts";
import { criterionSchema } from "../domain/rubric/schema.ts";
import { strictlyComplete } from "../domain/rubric/strict-completion.ts";
import { judgeGroups } from "./judging.ts";

const check = { type: "contains-any", args: { phrases: ["sorry"] } };
const made = (id: string, more: object) =>
  criterionSchema.parse({ id, text: "Says sorry", category: "Tone", weight: 1, check, ...more });
const criteria = [
  made("met", {}),
  made("penalty", { penalty: true }),
  made("penalty-negated", { penalty: true, check: { ...check, negate: true } }),
  made("here", { prompts: ["p"] }),
  made("elsewhere", { prompts: ["q"], required: true }),
  made("judged", { check: null, penalty: true }),
];
const groupOf = (id: string) => ({
  prompt: { id, messages: [{ role: "user" as const, content: "?" }], fields: {} },
  answers: [{ text: "So sorry.", ended: true }],
});
const of = async (id: string) => {
  const [judged] = await judgeGroups({ checks }, criteria, [groupOf(id)]);
  return defined(judged, "a group");
};

test("a penalty is met where the answer does not do it, and a criterion of another prompt has no verdict", async () => {
  const judged = await of("p");
  expect(judged.verdicts).toEqual([[1, 0, 1, 1, null, null]]);
  expect((await of("q")).verdicts).toEqual([[1, 0, 1, null, 1, null]]);
  expect(judged.reasons[0]?.[4]).toBe("does not apply to this prompt");
  expect(judged.failures).toEqual([]);
});

test("the held-out copy of a prompt is scored as the prompt itself", async () => {
  expect((await of("p-held-out")).verdicts).toEqual((await of("p")).verdicts);
});

test("a criterion that does not apply is neither rewarded nor required", () => {
  const some = [criteria[0], criteria[4]].flatMap((each) => each ?? []);
  expect(strictlyComplete(some, [1, null])).toBeNull();
  expect(strictlyComplete(criteriaFor(some, "p"), [1, null])).toBe(1);
  expect(strictlyComplete(criteriaFor(some, "q"), [1, 0])).toBe(0);
});
