/** Each lint rule by a case that it tells of and the nearest ones that it must not. */
import { describe, expect, it } from "vitest";
import { scenarios } from "../scenarios/registry.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import { lintCannotFail } from "./lint-cannot-fail.ts";
import { lintExcluding } from "./lint-excluding.ts";
import { lintRubric, lintText } from "./lint-rubric.ts";
import { lintSameMeaning } from "./lint-same-meaning.ts";
import { lintSameCheck } from "./lint-same-check.ts";
import { lintSameVerdicts } from "./lint-same-verdicts.ts";
import { lintSameWords } from "./lint-same-words.ts";
import { criterionSchema, type Criterion } from "./schema.ts";
import { createVerdictTally, type VerdictTally } from "./verdict-tally.ts";
import type { Verdict } from "./verdicts.ts";

const none = createVerdictTally();
const made = (id: string, more: object = {}): Criterion =>
  criterionSchema.parse({ id, text: id, category: "A", weight: 1, ...more });
const [a, b] = [made("a"), made("b")];

/** Answers in words of verdicts: "11" meets both, "1-" has no verdict of the second; `times` over. */
function seen(rows: readonly string[], times = 1, criteria: readonly Criterion[] = [a, b]): VerdictTally {
  const tally = createVerdictTally();
  const verdicts = rows.map((row) =>
    Array.from(row, (each): Verdict => (each === "-" ? null : Number(each))),
  );
  for (let i = 0; i < times; i++) tally.add(criteria, verdicts);
  return tally;
}

describe("the tally", () => {
  it("counts answers with a verdict of both, whichever comes first", () => {
    const tally = seen(["11", "10", "01", "00", "1-", "-1"], 2);
    expect(tally.criterion(a)).toEqual({ answers: 10, met: 6 });
    expect(tally.pair(a, b)).toEqual({ answers: 8, met: [4, 4], both: 2, same: 4 });
    const uneven = seen(["10", "10", "11"]);
    expect(uneven.pair(a, b)).toEqual({ answers: 3, met: [3, 1], both: 1, same: 1 });
    expect(uneven.pair(b, a)).toEqual({ answers: 3, met: [1, 3], both: 1, same: 1 });
  });

  it("takes a verdict between 0 and 1 as not met, and begins anew where a check changes", () => {
    const tally = createVerdictTally();
    tally.add([a, b], [[0.5, 0.5]]);
    expect(tally.pair(a, b)).toEqual({ answers: 1, met: [0, 0], both: 0, same: 1 });
    expect(tally.criterion({ ...a, text: "other" })).toEqual({ answers: 0, met: 0 });
    tally.clear();
    expect(tally.criterion(a).answers).toBe(0);
  });
});

describe("the same check", () => {
  const check = (more: object = {}) => ({ type: "word-count", args: { min: 1, max: 2 }, ...more });
  const pair = (first: object, second: object) => lintSameCheck([made("a", first), made("b", second)]).length;

  it("is one whatever the order of its arguments, and by a double negation", () => {
    expect(lintSameCheck([made("a", { check: check() }), made("b", { check: check() })])).toEqual([
      { kind: "same-check", criteria: ["a", "b"] },
    ]);
    expect(pair({ check: check() }, { check: check({ args: { max: 2, min: 1 } }) })).toBe(1);
    expect(pair({ check: check({ negate: true }) }, { check: check(), penalty: true })).toBe(1);
  });

  it("is none with other arguments, negated, without a check, or for other prompts", () => {
    expect(pair({ check: check() }, { check: check({ args: { min: 1, max: 3 } }) })).toBe(0);
    expect(pair({ check: check() }, { check: check({ negate: true }) })).toBe(0);
    expect(pair({}, {})).toBe(0);
    expect(pair({ check: check(), prompts: ["p"] }, { check: check(), prompts: ["q"] })).toBe(0);
    expect(pair({ check: check(), prompts: ["p"] }, { check: check(), prompts: ["q", "p"] })).toBe(1);
    expect(pair({ check: check() }, { check: check(), weight: 0 })).toBe(0);
  });
});

describe("the same words", () => {
  const like = (first: string, second: string, more: object = {}): number =>
    lintSameWords([made("a", { text: first }), made("b", { text: second, ...more })]).length;

  it.each([
    ["Names the product", "Mentions the product."],
    ["Gives the order number", "The answer should give an order number"],
    ["Does not blame the person", "Never blames the person"],
    ["Offers a full refund of the price", "Offers to refund the full price"],
  ])("%s / %s", (first, second) => {
    expect(like(first, second)).toBe(1);
  });

  it.each([
    ["Gives the order number", "Gives a phone number to call back"],
    ["Gives the right first step for this injury", "Gives the right second step for this injury"],
    ["Says what to do", "Says what not to do"],
    ["Blames the person", "Does not blame the person"],
  ])("not %s / %s", (first, second) => {
    expect(like(first, second)).toBe(0);
  });

  it("takes a penalty for its opposite", () => {
    expect(like("Blames the person", "Does not blame the person", { penalty: true })).toBe(1);
    expect(like("Blames the customer", "Blames the customer", { penalty: true })).toBe(0);
    expect(like("Does not blame the person", "Blames the person", { penalty: true })).toBe(1);
  });

  it("says nothing of the bundled rubrics", () => {
    const all: Scenario[] = Object.values(scenarios);
    for (const { setUps } of all)
      for (const { rubric } of setUps) expect(lintRubric(rubric, none)).toEqual([]);
  });
});

describe("the same meaning", () => {
  const vectors = new Map([
    ["Tells the day of delivery", Float32Array.of(1, 0)],
    ["Says when the parcel arrives", Float32Array.of(0.7, Math.sqrt(0.51))],
    ["Does not say when the parcel arrives", Float32Array.of(0.7, Math.sqrt(0.51))],
    ["Tells the hour of delivery", Float32Array.of(0.9, Math.sqrt(0.19))],
    ["Is kind", Float32Array.of(0.6, 0.8)],
  ]);
  const meanings = { by: "a model", vectors };
  const like = (first: string, second: string, more: object = {}) =>
    lintSameMeaning([made("a", { text: first }), made("b", { text: second, ...more })], meanings);

  it("is told with its cosine and the model, in other words alone", () => {
    expect(like("Tells the day of delivery", "Says when the parcel arrives")).toMatchObject([
      {
        kind: "same-meaning",
        criteria: ["a", "b"],
        by: "a model",
        likeness: expect.closeTo(0.7, 6) as unknown,
      },
    ]);
    expect(like("Tells the day of delivery", "Is kind")).toEqual([]);
    // differ in one word, as "first" and "second" do
    expect(like("Tells the day of delivery", "Tells the hour of delivery")).toEqual([]);
    // no vector
    expect(like("Tells the day of delivery", "Names the date on which it comes")).toEqual([]);
  });

  it("takes what is forbidden for its opposite", () => {
    const [day, not] = ["Tells the day of delivery", "Does not say when the parcel arrives"];
    expect(like(day, not)).toEqual([]);
    expect(like(day, not, { penalty: true })).toHaveLength(1);
    expect(like(day, "Says when the parcel arrives", { penalty: true })).toEqual([]);
  });

  it("is told beside the words where there is a model, and of each pair once", () => {
    const rubric = {
      title: "t",
      criteria: ["Tells the day of delivery", "Says when the parcel arrives", "Says when parcels arrive"].map(
        (text, i) => made(String(i), { text }),
      ),
    };
    const near = {
      by: "a model",
      vectors: new Map(rubric.criteria.map(({ text }) => [text, Float32Array.of(1)])),
    };
    expect(lintText(rubric).map(({ kind }) => kind)).toEqual(["same-words"]);
    expect(
      lintRubric(rubric, none, lintText(rubric, near)).map(({ kind, criteria }) => [kind, ...criteria]),
    ).toEqual([
      ["same-words", "1", "2"],
      ["same-meaning", "0", "1"],
      ["same-meaning", "0", "2"],
    ]);
  });
});

describe("the same verdicts", () => {
  it("are told of once there are enough, met and not met", () => {
    expect(lintSameVerdicts([a, b], seen(["11", "11", "11", "00"], 8))).toEqual([
      { kind: "same-verdicts", criteria: ["a", "b"], answers: 32, met: 24 },
    ]);
    expect(lintSameVerdicts([a, b], seen(["11", "11", "11", "00"], 7))).toEqual([]);
    // agree, as all that are met nearly always do
    expect(lintSameVerdicts([a, b], seen([..."11 ".repeat(25).trim().split(" "), "00"], 7))).toEqual([]);
  });

  it("are not there where one answer differs, and an answer without a verdict is none", () => {
    const rows = ["11", "11", "00", "00"];
    expect(lintSameVerdicts([a, b], seen([...rows, ...rows, "10"], 8))).toEqual([]);
    expect(lintSameVerdicts([a, b], seen([...rows, "1-"], 8))).toHaveLength(1);
  });
});

describe("excluding criteria", () => {
  it("are told of where chance alone would have brought some answers that meet both", () => {
    expect(lintExcluding([a, b], seen(["10", "01"], 16))).toEqual([
      { kind: "excluding", criteria: ["a", "b"], answers: 32, met: [16, 16], byChance: 8 },
    ]);
    expect(lintExcluding([a, b], seen(["10", "10", "10", "01"], 8))).toEqual([]);
    expect(lintExcluding([a, b], seen(["10", "01", "11"], 16))).toEqual([]);
    expect(lintExcluding([a, b], seen(["00", "01"], 60))).toEqual([]);
    expect(lintExcluding([a, b], none)).toEqual([]);
  });
});

describe("a criterion that cannot fail", () => {
  it("was met by every answer, at least 32 of them", () => {
    expect(lintCannotFail([a, b], seen(["10"], 32))).toEqual([
      { kind: "cannot-fail", criteria: ["a"], answers: 32 },
    ]);
    expect(lintCannotFail([a, b], seen(["10"], 31))).toEqual([]);
    expect(lintCannotFail([{ ...a, weight: 0 }], seen(["10"], 40))).toEqual([]);
  });
});

describe("a rubric", () => {
  it("is told once of two criteria that are alike in every way", () => {
    const check = { type: "no-emoji" };
    const twice = [made("a", { text: "No emoji", check }), made("b", { text: "No emoji", check })];
    const tally = seen(["11", "00"], 20, twice);
    expect(lintRubric({ title: "t", criteria: twice }, tally).map(({ kind }) => kind)).toEqual([
      "same-check",
    ]);
    const checks = twice.map((each, i) => ({ ...each, check: null, text: i === 0 ? "Kind" : "Short" }));
    expect(lintRubric({ title: "t", criteria: checks }, seen(["11", "00"], 20, checks))[0]?.kind).toBe(
      "same-verdicts",
    );
  });
});
