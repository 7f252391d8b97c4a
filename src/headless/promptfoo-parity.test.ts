/**
 * The verdicts of promptfoo 0.121.20's own code (scripts/fixtures/make-promptfoo-fixtures.ts): each assertion is imported as people
 * bring it, and its check judges the same answer, on the real sandbox. Equal on every one.
 */
import { afterAll, expect, test } from "vitest";
import { checks } from "../domain/rubric/checks/registry.ts";
import { importRubric } from "../domain/rubric/formats/import-rubric.ts";
import { criterionSchema } from "../domain/rubric/schema.ts";
import { readFixture } from "../testing/trl-fixtures.ts";
import { judgeAnswers } from "../training/judging.ts";
import { createNodeSandbox } from "./node-sandbox.ts";

interface Assertion {
  readonly type: string;
  readonly value?: unknown;
  readonly threshold?: number;
}
type Case = readonly [assertion: Assertion, output: string, pass: 0 | 1, score: number];

const cases = readFixture("promptfoo-cases.json") as readonly Case[];
const plain = (type: string): string => type.replace(/^not-/, "");
const types = [...new Set(cases.map(([{ type }]) => plain(type)))];
const isNegated = ([{ type }]: Case): boolean => type.startsWith("not-");
const sandbox = createNodeSandbox();
afterAll(sandbox.end);

async function judged([assertion, output]: Case, graded = false) {
  const { set } = importRubric(JSON.stringify([assertion]), { name: "assert.json" });
  const criterion = criterionSchema.parse(set.criteria[0]);
  const check = criterion.check;
  if (check === null) throw new Error(`no check for ${assertion.type}`);
  // the score that promptfoo gives is turned round by not- too
  const own = graded ? { ...criterion, check: { ...check, args: { ...check.args, graded } } } : criterion;
  const group = { prompt: { text: "", fields: {} }, answers: [{ text: output, ended: true }] };
  const [[[judgement] = []] = []] = await judgeAnswers({ checks, sandbox }, [own], [group]);
  return judgement?.verdict ?? null;
}

test.each(types)("%s passes what promptfoo passes", async (type) => {
  const own = cases.filter(([assertion]) => plain(assertion.type) === type);
  expect(new Set(own.map(([, , pass]) => pass)).size).toBe(2);
  const differences: unknown[] = [];
  for (const each of own) {
    const verdict = await judged(each);
    // a number is the score itself, and turned round by not-; promptfoo passes every one above 0
    const number = each[3] > 0 && each[3] < 1;
    const asked = !number || type !== "javascript" ? each[2] : isNegated(each) ? 1 - each[3] : each[3];
    if (verdict !== asked) differences.push([...each, verdict]);
  }
  expect(differences).toEqual([]);
});

test.each(["rouge-n", "bleu"])("%s scores as promptfoo scores", async (type) => {
  for (const each of cases.filter(([assertion]) => plain(assertion.type) === type)) {
    expect(await judged(each, true)).toBeCloseTo(each[3], 9);
  }
});
