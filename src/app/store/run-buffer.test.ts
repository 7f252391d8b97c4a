/** What the buffer counts of the answers that reach the page. */
import { expect, test } from "vitest";
import { criterionSchema } from "../../domain/rubric/schema.ts";
import type { RolloutGroup } from "../../domain/run/records.ts";
import { createRunBuffer } from "./run-buffer.ts";

const [a, b] = ["a", "b"].map((id) => criterionSchema.parse({ id, text: id, category: "X", weight: 1 }));
if (a === undefined || b === undefined) throw new Error("two criteria");
const version = (number: number, fromStep: number, criteria = [a, b]) => ({
  version: number,
  fromStep,
  rubric: { title: "t", criteria },
});

/** Two answers: the judge's noise turned the second verdict of the first round. */
const group = (step: number, criterionIds = ["a", "b"]): RolloutGroup => ({
  arm: "one",
  step,
  promptId: "p",
  promptText: "",
  criterionIds,
  rewardMean: null,
  rewardStd: null,
  rollouts: [
    [1, 1],
    [1, 0],
  ].map((verdictsBeforeNoise) => ({
    text: "",
    ended: true,
    tokens: [],
    verdicts: [1, 0],
    verdictsBeforeNoise,
    reasons: [],
    reward: null,
    parts: {},
    advantage: 0,
  })),
});

test("counts verdicts before noise, each group once, by the rubric of its step", () => {
  const buffer = createRunBuffer();
  const reworded = { ...b, text: "other" };
  const versions = [version(1, 1), version(2, 2, [a, reworded])];
  buffer.see(1, [group(1)], versions);
  buffer.see(1, [group(1)], versions);
  expect(buffer.seen().pair(a, b)).toEqual({ answers: 2, met: [2, 1], both: 1, same: 1 });
  buffer.see(2, [group(1)], versions);
  buffer.see(1, [group(2)], versions);
  expect(buffer.seen().criterion(b).answers).toBe(4);
  expect(buffer.seen().criterion(reworded).answers).toBe(2);
  expect(buffer.seen().criterion(a).answers).toBe(6);
});

test("leaves out a group of criteria that are not known, and forgets with the run", () => {
  const buffer = createRunBuffer();
  buffer.see(1, [group(1, ["a", "c"])], [version(1, 1)]);
  expect(buffer.seen().criterion(a).answers).toBe(0);
  buffer.see(1, [group(1)], [version(1, 1)]);
  buffer.clear([1]);
  expect(buffer.seen().criterion(a).answers).toBe(0);
  buffer.see(1, [group(1)], [version(1, 1)]);
  expect(buffer.seen().criterion(a).answers).toBe(2);
});
