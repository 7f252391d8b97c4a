import { expect, test } from "vitest";
import type { ArmStep } from "../../domain/run/records.ts";
import type { Criterion } from "../../domain/rubric/schema.ts";
import type { RubricVersion } from "../../domain/run/rubric-versions.ts";
import { makeCriteria } from "../../testing/criteria.ts";
import { meanings, ownRow, questions, sameMeaning, yardsticks } from "./rubric-history.ts";

const [first, second] = makeCriteria([1, 2], "AB") as [Criterion, Criterion];
const version = (n: number, criteria: readonly Criterion[]): RubricVersion => ({
  version: n,
  fromStep: n,
  rubric: { title: "t", criteria: [...criteria] },
});
const check = { type: "contains-any", args: { phrases: ["x"] }, negate: false };

function stepOf(rubricVersion: number, judged: number): ArmStep {
  const row = {
    id: first.id,
    passRate: 0.5,
    passRateBeforeNoise: 0.5,
    variance: 0.25,
    alpha: 1,
    pressure: 0.5,
  };
  return {
    kind: "step",
    arm: "one",
    step: 1,
    rubricVersion,
    promptIds: [],
    metrics: {},
    criteria: [{ ...row, state: "learning", reason: "", judged }],
    teachingShare: 1,
    zeroSignal: false,
  };
}

test("another check starts a criterion's history anew, another weight or undoing it does not", () => {
  const versions = [
    version(1, [first, second]),
    version(2, [{ ...first, weight: 9 }, second]),
    version(3, [{ ...first, check }, second]),
  ];
  const isOwn = sameMeaning(versions, { ...first, weight: 4 });
  expect([1, 2, 3, 4].map(isOwn)).toEqual([true, true, false, true]);
  const meaning = meanings(versions);
  expect(meaning({ rubricVersion: 1 }, first.id)).toBe(meaning({ rubricVersion: 2 }, first.id));
  expect(meaning({ rubricVersion: 1 }, first.id)).not.toBe(meaning({ rubricVersion: 3 }, first.id));
});

test("a criterion has no row yet where its check changed, or where it needs a judge", () => {
  const versions = [version(1, [first, second])];
  const checked = { ...first, check };
  expect(ownRow(versions, stepOf(1, 16), first)?.passRate).toBe(0.5);
  expect(ownRow(versions, stepOf(1, 16), checked)).toBeUndefined();
  expect(ownRow(versions, stepOf(1, 0), first)).toBeUndefined();
  expect(ownRow([version(1, [checked])], stepOf(1, 0), checked)?.judged).toBe(0);
  expect(ownRow(versions, undefined, first)).toBeUndefined();
});

test("scores are comparable where weights, categories and checks are the same, pass rates where checks are", () => {
  const versions = [
    version(1, [first, second]),
    version(2, [second, first]),
    version(3, [{ ...first, weight: 9 }, second]),
    version(4, [first]),
    version(5, [first, { ...second, category: "C" }]),
  ];
  const asFirst = (measure: (row: { rubricVersion: number }) => string): boolean[] => {
    const [one, ...others] = [1, 2, 3, 4, 5, 6].map((rubricVersion) => measure({ rubricVersion }));
    return others.map((other) => other === one);
  };
  expect(asFirst(yardsticks(versions))).toEqual([true, false, false, false, false]);
  expect(asFirst(questions(versions))).toEqual([true, true, false, true, false]);
});
