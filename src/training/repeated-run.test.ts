/** A run with live edits, repeated from its specification alone: the same numbers. */
import { expect, test } from "vitest";
import { parseRunSpec } from "../domain/run/parse-run-spec.ts";
import { repeatableSpec } from "../domain/run/rubric-versions.ts";
import type { RunSpec } from "../domain/run/spec.ts";
import { fakeDeps, fakeSpec } from "../testing/fake-run.ts";
import { createRunRecord, type RunRecord } from "./run-record.ts";
import { Trainer } from "./trainer.ts";

const STEPS = 8;
const spec = fakeSpec({ judgeNoise: 0.1 }, { max_steps: STEPS });
const heavier = (weight: number): RunSpec["rubric"] => ({
  ...spec.rubric,
  criteria: spec.rubric.criteria.map((each, i) => (i === 0 ? { ...each, weight } : each)),
});

/** Trains to the end, with the rubrics set before the steps after these. */
async function run(
  of: RunSpec,
  edits: Readonly<Record<number, readonly RunSpec["rubric"][]>>,
): Promise<RunRecord> {
  const deps = fakeDeps();
  const trainer = new Trainer(deps, createRunRecord("r", of, deps.policy));
  const edit = (): void => {
    for (const rubric of edits[trainer.record.step] ?? []) trainer.editRubric(rubric);
  };
  edit();
  await trainer.evaluate();
  while (!trainer.finished) {
    await trainer.step();
    await trainer.evaluate();
    edit();
  }
  return trainer.record;
}

/** Numbers only: versions that no step used are not counted again. */
const numbers = ({ rows }: RunRecord): unknown[] =>
  rows
    .filter((row) => row.kind !== "rubric")
    .map((row) => ({
      ...row,
      rubricVersion: 0,
      metrics: "metrics" in row && { ...row.metrics, step_time: null },
    }));

test("a run with edits is repeated by its specification, through a file", async () => {
  const first = await run(spec, { 0: [heavier(3)], 2: [heavier(5), heavier(7)], 5: [spec.rubric] });
  const kept = parseRunSpec(JSON.stringify(repeatableSpec(first.spec, first.rubrics)));
  expect(kept.rubricEdits.map((edit) => edit.fromStep)).toEqual([3, 6]);
  const again = await run(kept, {});
  expect(numbers(again)).toEqual(numbers(first));
  expect(again.arms.map((arm) => arm.adapter)).toEqual(first.arms.map((arm) => arm.adapter));
  const without = await run(spec, {});
  expect(numbers(without)).not.toEqual(numbers(first));
});

test("an edit of one's own ends those that were planned for later", async () => {
  const planned = parseRunSpec({ ...spec, rubricEdits: [{ fromStep: 7, rubric: heavier(9) }] });
  const record = await run(planned, { 3: [heavier(2)] });
  const kept = repeatableSpec(record.spec, record.rubrics);
  expect(kept.rubricEdits).toEqual([{ fromStep: 4, rubric: heavier(2) }]);
  expect(record.rows.filter((row) => row.kind === "rubric").map((row) => row.step)).toEqual([4]);
});

test("edits that do not rise from step to step are refused by their place", () => {
  const edits = [5, 5].map((fromStep) => ({ fromStep, rubric: spec.rubric }));
  expect(() => parseRunSpec({ ...spec, rubricEdits: edits }, "my.json")).toThrow(
    "my.json, rubricEdits[1].fromStep: expected a step after 5, got 5",
  );
});
