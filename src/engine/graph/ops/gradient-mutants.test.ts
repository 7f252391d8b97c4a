/** Every slip in a gradient rule is noticed by the operator's own cases: `npm run mutation -- gradients` prints the table. */
import { expect, test } from "vitest";
import { EQUIVALENT, gradientMutants, opsWithRules } from "../../../testing/graph/gradient-mutants.ts";
import { OPS } from "./registry.ts";

test("no slip survives but those that change nothing", () => {
  const before = { ...OPS };
  const tried = opsWithRules().map((op) => ({ op, mutants: gradientMutants(op) }));
  const survivors = tried.flatMap(({ mutants }) => mutants.filter(({ verdict }) => verdict === "survived"));
  expect(survivors.map(({ title }) => title).sort()).toEqual(Object.keys(EQUIVALENT).sort());
  expect(tried.filter(({ mutants }) => mutants.length === 0).map(({ op }) => op)).toEqual(["stopGradient"]);
  for (const { op, mutants } of tried) {
    const numeric = mutants.filter(({ verdict }) => verdict === "differs").map(({ kind }) => kind);
    if (mutants.length > 0) expect(numeric, op).toEqual(expect.arrayContaining(["sign", "factor"]));
  }
  expect(OPS).toEqual(before);
});
