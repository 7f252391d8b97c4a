/**
 * The verdicts of lm-eval 0.4.13's IFEval code, strict and loose: on 649 answers to all instructions
 * (scripts/fixtures/make_ifeval_fixtures.py), and on 482 to the four that a model of language decides, written after ours were
 * chosen (make_ifeval_fresh.py). Equal on every one, but for sentence counts and languages: at least 97 % of each instruction on each
 * file, and every difference is listed.
 */
import { beforeAll, expect, test } from "vitest";
import { readFixture } from "../../../../testing/trl-fixtures.ts";
import { findCheck, loadChecks, type PlainCheck } from "../check.ts";
import { ifevalChecks } from "./registry.ts";

type Case = readonly [
  id: string,
  kwargs: Readonly<Record<string, unknown>>,
  text: string,
  strict: 0 | 1,
  loose: 0 | 1,
];
const cases = readFixture("ifeval-cases.json") as readonly Case[];
const freshCases = readFixture("ifeval-fresh-cases.json") as readonly Case[];
const knownDifferences = readFixture("ifeval-differences.json") as Readonly<
  Record<string, readonly string[]>
>;
const table: Record<string, PlainCheck> = ifevalChecks;
/** Where another splitter or detector may part from the reference's. */
const BY_MODEL = [
  "length_constraints:number_sentences",
  "language:response_language",
  "change_case:english_capital",
  "change_case:english_lowercase",
];

beforeAll(() =>
  loadChecks(
    table,
    BY_MODEL.map((id) => ({ check: { type: `ifeval:${id}` } })),
  ),
);

function verdict([id, kwargs, text]: Case, mode: "strict" | "loose"): unknown {
  const def = findCheck(table, `ifeval:${id}`);
  if (def === undefined) throw new Error(`no check for ${id}`);
  return def.judge({ text, ended: true }, def.args.parse({ ...kwargs, mode }), { text: "", fields: {} })
    .verdict;
}

function differences(of: readonly Case[]): string[] {
  return of.flatMap((each) =>
    (["strict", "loose"] as const).flatMap((mode, i) => {
      const got = verdict(each, mode);
      return got === each[3 + i]
        ? []
        : [`${each[0]} ${mode} ${JSON.stringify(each.slice(1, 3))}: ${String(got)}`];
    }),
  );
}

test("all 25 instructions are tried, each with both verdicts", () => {
  const ids = Object.keys(ifevalChecks).map((id) => id.slice("ifeval:".length));
  expect(ids).toHaveLength(25);
  expect(cases.length).toBeGreaterThanOrEqual(400);
  for (const id of ids) {
    const verdicts = new Set(cases.filter((each) => each[0] === id).map((each) => each[3]));
    expect([id, ...verdicts].sort()).toEqual([0, 1, id]);
  }
});

test("the reference's verdict on every answer that no model decides", () => {
  expect(differences(cases.filter(([id]) => !BY_MODEL.includes(id)))).toEqual([]);
});

test.each([
  ["chosen on", cases],
  ["fresh", freshCases],
])("the texts our detectors were %s: 97 %% of each instruction, each difference listed", (name, all) => {
  const found = BY_MODEL.map((id) => {
    const own = all.filter((each) => each[0] === id);
    return { id, of: own.length * 2, differences: differences(own) };
  });
  expect(found.flatMap((each) => each.differences)).toEqual(knownDifferences[name]);
  for (const { id, of, differences: own } of found) {
    expect(of, id).toBeGreaterThan(80);
    expect(own.length / of, id).toBeLessThanOrEqual(0.03);
  }
});
