/** Several seeds side by side are the runs of those seeds alone; edits count from one step in all of them. */
import { expect, test } from "vitest";
import type { RunRow } from "../domain/run/records.ts";
import type { RunSpec } from "../domain/run/spec.ts";
import { fakeDeps, fakeSpec } from "../testing/fake-run.ts";
import { openRecords, sealRecord, sealRecords } from "./checkpoints.ts";
import type { TrainingDeps } from "./deps.ts";
import { createRunRecord } from "./run-record.ts";
import { SeedRuns } from "./seed-runs.ts";
import { Trainer } from "./trainer.ts";

const SEEDS = [7, 3, 11];
const spec = fakeSpec({}, { max_steps: 6 });

function open(deps: TrainingDeps, of: RunSpec = spec, seeds = SEEDS): SeedRuns {
  return new SeedRuns(
    deps,
    seeds.map((seed) => createRunRecord("run", { ...of, seed }, deps.policy)),
  );
}

async function evaluate(runs: SeedRuns): Promise<void> {
  while (runs.evaluationsDue > 0) await runs.evaluate();
}

async function train(runs: SeedRuns, until: number): Promise<void> {
  while (runs.step < until) {
    await runs.stepNext();
    if (runs.aligned) await evaluate(runs);
  }
}

test("each seed's record is, bit for bit, that of the seed alone", async () => {
  const runs = open(fakeDeps());
  await train(runs, 6);
  for (const seed of SEEDS) {
    const deps = fakeDeps();
    const alone = new Trainer(deps, createRunRecord("run", { ...spec, seed }, deps.policy));
    while (!alone.finished) {
      await alone.step();
      while (alone.evaluationDue) await alone.evaluate();
    }
    expect(sealRecord(runs.recordOf(seed))).toEqual(sealRecord(alone.record));
  }
  expect(new Set(runs.records.map(({ arms }) => String(arms[0]?.adapter))).size).toBe(SEEDS.length);
});

test("step t of every seed comes before step t + 1 of any", async () => {
  const runs = open(fakeDeps());
  const order: [number | undefined, number][] = [];
  for (let i = 0; i < 6; i++) {
    const { rows, seed } = await runs.stepNext();
    order.push([rows[0]?.step, seed]);
    expect(rows.every((row) => row.seed === seed)).toBe(true);
  }
  expect(order).toEqual([1, 2].flatMap((step) => SEEDS.map((seed) => [step, seed])));
});

const marks = (rows: readonly (RunRow & { seed: number })[]): [number, number][] =>
  rows.flatMap((row) => (row.kind === "rubric" ? [[row.seed, row.step] as [number, number]] : []));

test("an edit in the middle of a round counts, in every seed, from the step that none has begun", async () => {
  const runs = open(fakeDeps());
  await train(runs, 2);
  await runs.stepNext();
  const second = runs.stepNext();
  const edited = { ...spec.rubric, criteria: spec.rubric.criteria.slice(1) };
  const { version, rows } = runs.editRubric(edited);
  await second;
  expect(version).toMatchObject({ version: 2, fromStep: 4 });
  expect(marks(rows)).toEqual(SEEDS.map((seed) => [seed, 4]));
  await train(runs, 4);
  for (const record of runs.records) {
    const used = record.rows.flatMap((row) => (row.kind === "step" ? [[row.step, row.rubricVersion]] : []));
    expect(used.slice(-4)).toEqual([
      [3, 1],
      [3, 1],
      [4, 2],
      [4, 2],
    ]);
  }
});

test("a step that came to nothing gives its edits back to all seeds, unless one has taken it", async () => {
  const controller = new AbortController();
  const runs = open(fakeDeps());
  const step = runs.stepNext(controller.signal);
  runs.editRubric({ ...spec.rubric, title: "Later" });
  controller.abort();
  await expect(step).rejects.toMatchObject({ code: "aborted" });
  expect(marks(runs.pullEdits())).toEqual(SEEDS.map((seed) => [seed, 1]));
  await runs.stepNext();
  const next = runs.stepNext(controller.signal);
  runs.editRubric(spec.rubric);
  await expect(next).rejects.toMatchObject({ code: "aborted" });
  expect(runs.pullEdits()).toEqual([]);
  expect(runs.records.map(({ rubrics }) => rubrics.at(-1)?.fromStep)).toEqual([2, 2, 2]);
});

test("all seeds are one file, opened in the middle of a round as they stood", async () => {
  const runs = open(fakeDeps());
  await train(runs, 1);
  await runs.stepNext();
  const records = openRecords(sealRecords(runs.records), "file");
  expect(records).toEqual(runs.records);
  const again = new SeedRuns(fakeDeps(), records);
  expect([again.step, again.aligned, again.seedSteps]).toEqual([1, false, 4]);
  await train(again, 6);
  const whole = open(fakeDeps());
  await train(whole, 6);
  expect(again.rows).toEqual(whole.rows);
});

test("one seed leaves the file of earlier builds; seeds that are no one run are refused", () => {
  const { policy } = fakeDeps();
  const record = createRunRecord("run", spec, policy);
  expect(sealRecords([record])).toEqual(sealRecord(record));
  expect(openRecords(sealRecord(record), "file")).toEqual([record]);
  const other = createRunRecord("run", { ...spec, seed: 8, judgeNoise: 0 }, policy);
  expect(() => openRecords(sealRecords([record, other]), "file")).toThrow("file: expected seeds of one run");
  expect(() => openRecords(sealRecords([record, record]), "file")).toThrow("seeds that differ, got 7, 7");
  expect(() => open(fakeDeps()).recordOf(5)).toThrow("seed: expected one of 7, 3, 11, got 5");
});
