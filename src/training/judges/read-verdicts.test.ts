/** Replies to a numbered list: what is in doubt is no verdict, and no verdict moves to another criterion. */
import { expect, test } from "vitest";
import { readRubricReply } from "./read-verdicts.ts";

const reply = (ids: readonly unknown[]): string =>
  JSON.stringify({ verdicts: ids.map((id, i) => ({ id, explanation: "", criteria_met: i === 0 })) });
const met = (text: string, count: number): readonly (boolean | string)[] =>
  readRubricReply(text, count).map((verdict) => ("met" in verdict ? verdict.met : verdict.missing));

test("numbers from 1, as numbers or as texts, are those of the list", () => {
  expect(met(reply([1, 2]), 2)).toEqual([true, false]);
  expect(met(reply(["2", "1"]), 2)).toEqual([false, true]);
  expect(met(reply([2]), 2)).toEqual(["the reply holds no verdict on criterion 1 (1 for 2 criteria)", true]);
});

test("what is no number is no criterion's", () => {
  expect(met(reply([true, 2]), 2)).toEqual([
    "the reply holds no verdict on criterion 1 (2 for 2 criteria)",
    false,
  ]);
});

test("whoever counts from 0 has no verdict at all", () => {
  for (const verdict of met(reply([0, 1]), 2))
    expect(verdict).toContain("does not count the criteria from 1");
});
