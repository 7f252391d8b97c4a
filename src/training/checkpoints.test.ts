import { beforeAll, describe, expect, test } from "vitest";
import { PlaygroundError } from "../base/errors.ts";
import { fakeDeps, fakeSpec } from "../testing/fake-run.ts";
import { checkFitsPolicy, openRecord, sealRecord } from "./checkpoints.ts";
import { decodeRecordFile, encodeRecordFile } from "./record-file.ts";
import { createRunRecord, type RunRecord } from "./run-record.ts";
import { Trainer } from "./trainer.ts";

function faultOf(run: () => unknown): PlaygroundError {
  try {
    run();
  } catch (error) {
    if (error instanceof PlaygroundError) return error;
  }
  throw new Error("expected a PlaygroundError");
}

/** The bytes with some bits of one of them turned, counted from the end where `at` is below 0. */
function flipped(bytes: Uint8Array, at: number, bits: number): Uint8Array {
  const place = at < 0 ? bytes.length + at : at;
  bytes[place] = (bytes[place] ?? 0) ^ bits;
  return bytes;
}

/** As builds wrote it that had no checksum. */
function olderFile(bytes: Uint8Array): Uint8Array {
  const header = new DataView(bytes.buffer).getUint32(8, true);
  const data = bytes.subarray(Math.ceil((20 + header) / 4) * 4);
  const dataAt = Math.ceil((12 + header) / 4) * 4;
  const older = new Uint8Array(dataAt + data.length);
  older.set(new TextEncoder().encode("RPLAYRUN"));
  older.set(bytes.subarray(8, 12), 8);
  older.set(bytes.subarray(20, 20 + header), 12);
  older.set(data, dataAt);
  return older;
}

describe("a record file", () => {
  test("keeps every bit of its arrays, wherever they stand", () => {
    const odd = Float32Array.from([0, -0, 1e-45, 3.4e38, Number.NaN, Number.NEGATIVE_INFINITY, 0.1]);
    const value = { deep: [{ a: odd }, { b: new Float32Array(0) }], text: "é🙂", none: null };
    const back = decodeRecordFile(encodeRecordFile(value), "test");
    expect(back).toEqual(value);
    const array = (back as typeof value).deep[0]?.a;
    expect(Object.is(array?.[1], -0)).toBe(true);
  });

  test("may lie at any offset of a buffer", () => {
    const bytes = encodeRecordFile({ a: Float32Array.of(1, 2, 3) });
    const shifted = new Uint8Array(bytes.length + 1);
    shifted.set(bytes, 1);
    expect(decodeRecordFile(shifted.subarray(1), "test")).toEqual({ a: Float32Array.of(1, 2, 3) });
    expect(decodeRecordFile(Buffer.from(shifted).subarray(1), "test")).toEqual({
      a: Float32Array.of(1, 2, 3),
    });
  });
});

describe("a checkpoint", () => {
  let record: RunRecord;
  beforeAll(async () => {
    const deps = fakeDeps();
    const trainer = new Trainer(deps, createRunRecord("run", fakeSpec(), deps.policy));
    trainer.pinPrompt("train-0");
    await trainer.evaluate();
    await trainer.step();
    await trainer.measureNewest();
    trainer.editRubric(fakeSpec().rubric);
    record = trainer.record;
  });

  test("comes back as it was, also from a file without a checksum", () => {
    expect(openRecord(sealRecord(record), "test")).toEqual(record);
    expect(openRecord(olderFile(sealRecord(record)), "test")).toEqual(record);
  });

  test("of an older build brings its saveEvery as save_steps", () => {
    const spec = { ...record.spec, saveEvery: 7, grpo: { ...record.spec.grpo } };
    for (const name of ["save_steps", "save_total_limit"]) Reflect.deleteProperty(spec.grpo, name);
    Reflect.deleteProperty(spec, "learningRateEdits");
    const old = { ...record, spec };
    const { spec: read } = openRecord(encodeRecordFile(old), "test");
    expect(read).toEqual({ ...record.spec, grpo: { ...record.spec.grpo, save_steps: 7 } });
  });

  test.each([
    ["another kind of file", () => new TextEncoder().encode("{}")],
    ["bytes that are not those that were saved", () => sealRecord(record).slice(0, -4)],
    ["bytes that are not those that were saved", () => flipped(sealRecord(record), -2, 1)],
    ["bytes that are not those that were saved", () => flipped(sealRecord(record), 400, 1)],
    ["a file that ends within its numbers", () => olderFile(sealRecord(record)).slice(0, -4)],
    ["a file that ends within its header", () => sealRecord(record).slice(0, 100)],
  ])("refuses %s", (got, bytes) => {
    expect(faultOf(() => openRecord(bytes(), "run.bin"))).toMatchObject({
      code: "record-invalid",
      where: "run.bin",
      message: expect.stringContaining(`got ${got}`) as string,
    });
  });

  test("names the field that does not fit", () => {
    const broken = encodeRecordFile({ ...record, step: -1 });
    expect(faultOf(() => openRecord(broken, "run.bin"))).toMatchObject({
      code: "record-invalid",
      where: "run.bin, step",
    });
  });

  test("refuses arms that are not the spec's, and vectors of different lengths", () => {
    const swapped = encodeRecordFile({ ...record, arms: record.arms.toReversed() });
    expect(faultOf(() => openRecord(swapped, "run.bin")).message).toContain("static, pow3r");
    const short = record.arms.map((arm) => ({ ...arm, adapter: new Float32Array(3) }));
    const misfit = encodeRecordFile({ ...record, arms: short });
    expect(faultOf(() => openRecord(misfit, "run.bin")).where).toBe('run.bin, arm "pow3r"');
  });

  test("refuses a model of another size", () => {
    expect(
      faultOf(() => {
        checkFitsPolicy(record, 65, "run.bin");
      }),
    ).toMatchObject({ code: "record-invalid" });
    expect(() => {
      checkFitsPolicy(record, 63, "run.bin");
    }).toThrow(/adapters of 63 numbers/);
    checkFitsPolicy(record, 64, "run.bin");
  });
});
