/**
 * A run record as a file and back, validated: what the worker keeps in the browser and headless runs keep on disk. Several
 * seeds of one run are one file too.
 */
import { z } from "zod";
import { PlaygroundError } from "../base/errors.ts";
import { problemsError, problemsOf } from "../domain/rubric/schema-problems.ts";
import { rubricSchema } from "../domain/rubric/schema.ts";
import type { RolloutGroup, RunRow } from "../domain/run/records.ts";
import { keptRunSpecSchema } from "../domain/run/spec.ts";
import { decodeRecordFile, encodeRecordFile } from "./record-file.ts";
import type { RunRecord } from "./run-record.ts";

const count = z.int().nonnegative();
const maybe = z.number().nullable();
const floats = z.instanceof(Float32Array);
const byName = z.record(z.string(), maybe);

const armStepSchema = z.strictObject({
  kind: z.literal("step"),
  arm: z.string(),
  step: count,
  rubricVersion: count,
  promptIds: z.array(z.string()),
  metrics: byName,
  criteria: z.array(
    z.strictObject({
      id: z.string(),
      passRate: maybe,
      passRateBeforeNoise: maybe,
      variance: maybe,
      alpha: z.number(),
      pressure: z.number(),
      state: z.enum(["dead", "saturated", "learning", "unseen"]),
      reason: z.string(),
      judged: count,
    }),
  ),
  teachingShare: z.number(),
  zeroSignal: z.boolean(),
});

const evaluationSchema = z.strictObject({
  kind: z.literal("evaluation"),
  arm: z.string(),
  step: count,
  rubricVersion: count,
  samples: count,
  score: maybe,
  balancedScore: maybe,
  strictCompletion: maybe,
  learningPassRate: maybe,
  categories: byName,
  criteria: z.array(z.strictObject({ id: z.string(), passRate: maybe })),
  meanLength: z.number(),
});

const rubricEditSchema = z.strictObject({
  kind: z.literal("rubric"),
  step: count,
  rubricVersion: count,
  summary: z.string(),
  changes: z.array(z.string()).default([]),
});

const rowSchema = z.discriminatedUnion("kind", [
  armStepSchema,
  evaluationSchema,
  rubricEditSchema,
]) satisfies z.ZodType<RunRow>;

const rolloutGroupSchema = z.strictObject({
  arm: z.string(),
  step: count,
  promptId: z.string(),
  promptText: z.string(),
  criterionIds: z.array(z.string()),
  rewardMean: maybe,
  rewardStd: maybe,
  rollouts: z.array(
    z.strictObject({
      text: z.string(),
      ended: z.boolean(),
      tokens: z.array(z.strictObject({ text: z.string(), logProb: z.number(), logProbAfter: maybe })),
      verdicts: z.array(maybe),
      verdictsBeforeNoise: z.array(maybe),
      reasons: z.array(z.string()),
      reward: maybe,
      parts: byName,
      advantage: z.number(),
    }),
  ),
}) satisfies z.ZodType<RolloutGroup>;

const armStateSchema = z.strictObject({
  id: z.string(),
  adapter: floats,
  optimizer: z.strictObject({ m: floats, v: floats, step: count }),
  pow3r: z.strictObject({
    alphas: z.record(z.string(), z.record(z.string(), z.number())),
    pending: z.record(z.string(), z.record(z.string(), z.strictObject({ sum: z.number(), groups: count }))),
    waiting: count.exactOptional(),
  }),
  flags: z.record(
    z.string(),
    z.strictObject({
      groups: z.array(z.strictObject({ judged: count, passed: z.number() })),
      flag: z.enum(["dead", "saturated", "learning"]).nullable(),
    }),
  ),
  tokens: count,
});

const recordSchema = z.strictObject({
  format: z.literal("rubric-playground-run"),
  formatVersion: z.literal(1),
  id: z.string().min(1),
  spec: keptRunSpecSchema,
  step: count,
  data: z.strictObject({ epoch: count, used: count }),
  rubrics: z.array(z.strictObject({ version: count, fromStep: count, rubric: rubricSchema })).min(1),
  arms: z.array(armStateSchema).min(1),
  start: floats.nullable().default(null), // older records have none
  baseAnswers: z
    .array(z.strictObject({ promptId: z.string(), text: z.string(), ended: z.boolean(), length: count }))
    .nullable(),
  evaluatedStep: count.nullable(),
  pinnedPromptId: z.string().nullable(),
  pinned: z.array(rolloutGroupSchema),
  newest: z.array(rolloutGroupSchema),
  rows: z.array(rowSchema),
}) satisfies z.ZodType<RunRecord>;

/** The record as a file's bytes. */
export function sealRecord(record: RunRecord): Uint8Array<ArrayBuffer> {
  return encodeRecordFile(record);
}

/**
 * The record in a file's bytes, checked field by field.
 * @param where the file or saved run, as a person knows it
 * @throws PlaygroundError `record-invalid`, naming the first field that does not fit
 */
export function openRecord(bytes: Uint8Array, where: string): RunRecord {
  return checkRecord(decodeRecordFile(bytes, where), where);
}

function checkRecord(value: unknown, where: string): RunRecord {
  const record = checked(recordSchema, value, where);
  checkArms(record, where);
  return record;
}

function checked<T>(schema: z.ZodType<T>, value: unknown, where: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw problemsError({
    code: "record-invalid",
    source: where,
    problems: problemsOf(result.error, value),
    next: "Delete it and start a new run; it may come from another build.",
  });
}

const SEEDS_FORMAT = "rubric-playground-seeds";

/** The records of a run's seeds as one file's bytes; of one seed, the file that `sealRecord` writes. */
export function sealRecords(records: readonly RunRecord[]): Uint8Array<ArrayBuffer> {
  const [first] = records;
  if (records.length === 1 && first !== undefined) return sealRecord(first);
  return encodeRecordFile({ format: SEEDS_FORMAT, formatVersion: 1, records });
}

const seedsFileSchema = z.strictObject({
  format: z.literal(SEEDS_FORMAT),
  formatVersion: z.literal(1),
  records: z.array(recordSchema).min(1),
});

/**
 * The records in a file of `sealRecords` or of `sealRecord`, in the seeds' order.
 * @throws PlaygroundError `record-invalid`, naming the first field that does not fit
 */
export function openRecords(bytes: Uint8Array, where: string): readonly RunRecord[] {
  const value = decodeRecordFile(bytes, where);
  const several =
    typeof value === "object" && value !== null && "format" in value && value.format === SEEDS_FORMAT;
  if (!several) return [checkRecord(value, where)];
  const { records } = checked(seedsFileSchema, value, where);
  for (const record of records) checkArms(record, `${where}, seed ${record.spec.seed}`);
  checkOneRun(records, where);
  return records;
}

/** The seeds differ, and nothing else of the specifications does. */
function checkOneRun(records: readonly RunRecord[], where: string): void {
  const seeds = records.map(({ spec }) => spec.seed);
  if (new Set(seeds).size < seeds.length) throw misfit(where, "seeds that differ", seeds.join(", "));
  const settings = new Set(records.map(({ spec }) => JSON.stringify({ ...spec, seed: 0 })));
  if (settings.size > 1) throw misfit(where, "seeds of one run", "runs of different settings");
}

/** The arms are the spec's, and every vector of an arm has one length. */
function checkArms(record: RunRecord, where: string): void {
  const expected = record.spec.arms.map((arm) => arm.id).join(", ");
  const got = record.arms.map((arm) => arm.id).join(", ");
  if (expected !== got) throw misfit(where, `the arms ${expected}`, got);
  for (const { id, adapter, optimizer } of record.arms) {
    if (record.start !== null && record.start.length !== adapter.length) {
      const expected = `a start of ${adapter.length} numbers, as its adapter has`;
      throw misfit(`${where}, arm "${id}"`, expected, String(record.start.length));
    }
    const lengths = [adapter.length, optimizer.m.length, optimizer.v.length];
    if (new Set(lengths).size > 1) {
      throw misfit(`${where}, arm "${id}"`, "an adapter and moments of one length", lengths.join(", "));
    }
  }
}

/**
 * @throws PlaygroundError `record-invalid` when the record's adapters do not fit the loaded model
 */
export function checkFitsPolicy(record: RunRecord, adapterSize: number, where: string): void {
  const odd = record.arms.find((arm) => arm.adapter.length !== adapterSize);
  if (odd !== undefined) {
    throw misfit(
      where,
      `adapters of ${adapterSize} numbers, as the loaded model has`,
      String(odd.adapter.length),
    );
  }
}

function misfit(where: string, expected: string, got: string): PlaygroundError {
  const next = "Load the model it was trained with, or start a new run.";
  return new PlaygroundError({ code: "record-invalid", where, expected, got, next });
}
