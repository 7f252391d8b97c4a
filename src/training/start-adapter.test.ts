/** A run that starts from an adapter made elsewhere: where it begins, what KL is to, and that a resume repeats it. */
import { expect, test } from "vitest";
import type { ArmStep, Evaluation, RunRow } from "../domain/run/records.ts";
import { parseRunSpec } from "../domain/run/parse-run-spec.ts";
import type { RunSpec } from "../domain/run/spec.ts";
import { fakeDeps, fakeSpec } from "../testing/fake-run.ts";
import { openRecord, sealRecord } from "./checkpoints.ts";
import { createRunRecord, type RunRecord } from "./run-record.ts";
import { Trainer } from "./trainer.ts";

const deps = fakeDeps();
const { lora } = fakeSpec().grpo;
const startAdapter = { name: "theirs", sha256: "0".repeat(64), baseModel: null, lora };

function specWith(grpo: object = {}): RunSpec {
  return fakeSpec({ startAdapter }, { beta: 0.1, ...grpo });
}

async function advance(record: RunRecord, toStep: number): Promise<RunRecord> {
  const trainer = new Trainer(deps, record);
  await trainer.evaluate();
  while (trainer.record.step < toStep) {
    await trainer.step();
    await trainer.evaluate();
  }
  return trainer.record;
}

const armSteps = (rows: readonly RunRow[]): ArmStep[] => rows.filter((row) => row.kind === "step");
const scoreAt = (rows: readonly RunRow[], step: number): number =>
  rows.find((row): row is Evaluation => row.kind === "evaluation" && row.step === step)?.score ?? Number.NaN;

/** What an earlier run learned. */
async function earlier(): Promise<{ readonly learned: Float32Array; readonly rows: readonly RunRow[] }> {
  const { arms, rows } = await advance(
    createRunRecord("before", fakeSpec({}, { max_steps: 40 }), deps.policy),
    40,
  );
  return { learned: arms[0]?.adapter ?? expect.fail("no arm"), rows };
}

test("every arm starts from it, and step 0 is answered with it", async () => {
  const { learned, rows } = await earlier();
  const record = createRunRecord("run", specWith(), deps.policy, learned);
  for (const arm of record.arms) expect(arm.adapter).toEqual(learned);
  const { rows: own } = await advance(record, 0);
  expect(scoreAt(own, 0)).toBeGreaterThan(scoreAt(rows, 0) + 0.1);
  expect(Math.abs(scoreAt(own, 0) - scoreAt(rows, 40))).toBeLessThan(0.1);
});

test("KL is to where it started, as TRL's to a copy of a PeftModel's adapter: 0 before the first update", async () => {
  const { learned } = await earlier();
  const { rows } = await advance(createRunRecord("run", specWith(), deps.policy, learned), 4);
  const kl = armSteps(rows).map(({ metrics }) => metrics["kl"] ?? Number.NaN);
  expect(Math.abs(kl[0] ?? 1)).toBeLessThan(1e-9);
  expect(kl.at(-1)).toBeGreaterThan(1e-4);
});

test("a resumed run repeats the one that was not interrupted", async () => {
  const { learned } = await earlier();
  const record = createRunRecord("run", specWith(), deps.policy, learned);
  const whole = await advance(record, 8);
  const half = await advance(record, 3);
  const resumed = openRecord(sealRecord(half), "half");
  expect(resumed.start).toEqual(learned);
  expect(await advance(resumed, 8)).toEqual(whole);
});

test("it is refused where specification and numbers do not belong together", () => {
  const { policy } = deps;
  const values = new Float32Array(policy.adapterSize);
  expect(() => createRunRecord("r", specWith(), policy)).toThrow('expected "theirs" of 64 numbers, got none');
  expect(() => createRunRecord("r", fakeSpec(), policy, values)).toThrow(
    "startAdapter: expected none, got 64",
  );
  expect(() => createRunRecord("r", specWith(), policy, values.slice(1))).toThrow("got 63 numbers");
  const other = { ...lora, r: lora.r + 1 };
  expect(() => parseRunSpec(specWith({ lora: other }))).toThrow(
    "grpo.lora: expected the settings of the adapter",
  );
});

test("a record of before there were such starts has none", () => {
  const record = createRunRecord("run", fakeSpec(), deps.policy);
  const { start, ...older } = record;
  expect(start).toBeNull();
  expect(openRecord(sealRecord(older as RunRecord), "older").start).toBeNull();
});
