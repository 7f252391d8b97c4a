/**
 * The verdicts of lm-eval 0.4.13's IFEval code on 649 answers (scripts/fixtures/make_ifeval_fixtures.py), strict and loose: equal
 * on every one, but for sentence counts and language detection, where at least 97 % agree and each difference is listed.
 */
import { beforeAll, expect, test } from "vitest";
import { readFixture } from "../../../../testing/trl-fixtures.ts";
import { findCheck, type PlainCheck } from "../check.ts";
import { loadLanguages } from "./languages.ts";
import { ifevalChecks } from "./registry.ts";

type Case = readonly [
  id: string,
  kwargs: Readonly<Record<string, unknown>>,
  text: string,
  strict: 0 | 1,
  loose: 0 | 1,
];
const cases = readFixture("ifeval-cases.json") as readonly Case[];
const knownDifferences = readFixture("ifeval-differences.json") as readonly string[];
const table: Record<string, PlainCheck> = ifevalChecks;
/** Where another splitter or detector may part from the reference's. */
const BY_MODEL = [
  "length_constraints:number_sentences",
  "language:response_language",
  "change_case:english_capital",
  "change_case:english_lowercase",
];

beforeAll(loadLanguages);

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

test("sentence counts and languages differ only where it is listed, on 3 % at most", () => {
  const found = BY_MODEL.map((id) => cases.filter((each) => each[0] === id)).map((of) => ({
    of: of.length * 2,
    differences: differences(of),
  }));
  expect(found.flatMap(({ differences: each }) => each)).toEqual(knownDifferences);
  const [sentences, ...languages] = found;
  const share = (parts: typeof found): number =>
    parts.reduce((sum, part) => sum + part.differences.length, 0) /
    parts.reduce((sum, part) => sum + part.of, 0);
  expect(share(sentences === undefined ? [] : [sentences])).toBeLessThanOrEqual(0.03);
  expect(share(languages)).toBeLessThanOrEqual(0.03);
});
