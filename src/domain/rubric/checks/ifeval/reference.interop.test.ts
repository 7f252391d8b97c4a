/**
 * IFEval beside lm-eval's own task code, run now: the fixtures hold what it says, and answers drawn from their texts get the same
 * verdict, but for the 3 % that another splitter or detector may part in.
 */
import { expect, it } from "vitest";
import { createRng } from "../../../../base/rng.ts";
import { askOracle, describeWithOracle } from "../../../../testing/oracle.ts";
import { readFixture } from "../../../../testing/trl-fixtures.ts";
import { loadChecks, type PlainCheck } from "../check.ts";
import { ifevalChecks } from "./registry.ts";

type Case = readonly [
  id: string,
  kwargs: Readonly<Record<string, unknown>>,
  text: string,
  strict: 0 | 1,
  loose: 0 | 1,
];
const table: Record<string, PlainCheck> = ifevalChecks;
const cases = ["ifeval-cases.json", "ifeval-fresh-cases.json"].flatMap((name) => readFixture(name) as Case[]);
const BY_MODEL = /number_sentences|response_language|change_case:english/;

describeWithOracle("lm-eval's IFEval code", () => {
  it("says what the fixtures hold", () => {
    const asked = cases.map(([id, kwargs, text]) => [id, kwargs, text]);
    expect(askOracle("scripts/oracles/ifeval_verdicts.py", asked)).toEqual(
      cases.map(([, , , strict, loose]) => [strict, loose]),
    );
  });

  it("gives the verdicts that our checks give, on two texts put together and on each instruction's own arguments", async () => {
    const rng = createRng(3, "ifeval pairs");
    const drawn = cases.map(([id, kwargs, text]): Case => {
      const other = cases[rng.below(cases.length)]?.[2] ?? "";
      return [id, kwargs, `${text}\n${other}`, 0, 0];
    });
    const said = askOracle(
      "scripts/oracles/ifeval_verdicts.py",
      drawn.map(([id, kwargs, text]) => [id, kwargs, text]),
    ) as [number, number][];
    await loadChecks(
      table,
      drawn.map(([id]) => ({ check: { type: `ifeval:${id}` } })),
    );
    const differ = drawn.flatMap(([id, kwargs, text], i) =>
      (["strict", "loose"] as const).flatMap((mode, at) => {
        const def = table[`ifeval:${id}`];
        const answer = { text, ended: true };
        const judged = def?.judge(answer, def.args.parse({ ...kwargs, mode }), { text: "", fields: {} });
        return judged?.verdict === said[i]?.[at] ? [] : [`${id} ${mode} ${JSON.stringify(text)}`];
      }),
    );
    expect(differ.filter((each) => !BY_MODEL.test(each))).toEqual([]);
    const ofModels = drawn.filter(([id]) => BY_MODEL.test(id)).length * 2;
    expect(differ.length / ofModels).toBeLessThanOrEqual(0.03);
  });
});
