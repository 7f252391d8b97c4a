import { expect, test } from "vitest";
import {
  rowsOfSeed,
  type ArmStep,
  type CriterionStep,
  type Evaluation,
  type RunRow,
} from "../../domain/run/records.ts";
import { createRunBuffer } from "./run-buffer.ts";
import {
  criteriaSeries,
  downSample,
  evaluationSeries,
  isBroken,
  lastValue,
  metricSeries,
  pieces,
  POINT_LIMIT,
  pressureSeries,
  teachingShare,
  stripCells,
} from "./series.ts";

function criterion(id: string, part: Partial<CriterionStep> = {}): CriterionStep {
  const base = {
    passRate: 0.5,
    passRateBeforeNoise: 0.5,
    variance: 0.25,
    alpha: 1,
    pressure: 0.5,
    judged: 16,
  };
  return { id, ...base, state: "learning", reason: "", ...part };
}

function step(arm: string, n: number, part: Partial<ArmStep> = {}): ArmStep {
  const base = { rubricVersion: 1, promptIds: [], teachingShare: 1, zeroSignal: false };
  return { kind: "step", arm, step: n, metrics: { reward: n }, criteria: [criterion("a")], ...base, ...part };
}

function evaluation(arm: string, n: number, score: number | null): Evaluation {
  const base = {
    rubricVersion: 1,
    samples: 8,
    balancedScore: null,
    strictCompletion: null,
    learningPassRate: null,
  };
  return { kind: "evaluation", arm, step: n, score, categories: {}, criteria: [], meanLength: 30, ...base };
}

/** A buffer of one seed. */
function bufferOf(rows: readonly RunRow[]) {
  const buffer = createRunBuffer();
  buffer.clear([1]);
  buffer.append(rowsOfSeed(1, rows));
  return buffer;
}

test("long series keep their ends and stay under the limit", () => {
  const items = Array.from({ length: 10_001 }, (_, i) => i);
  const short = downSample(items, 100);
  expect([short.length, short[0], short.at(-1)]).toEqual([100, 0, 10_000]);
  expect(new Set(short).size).toBe(100);
  expect(downSample(items, 20_000)).toBe(items);
});

test("all lines of a chart together hold at most the limit", () => {
  const rows = Array.from({ length: 3000 }, (_, i) => [step("x", i + 1), step("y", i + 1)]);
  const buffer = bufferOf(rows.flat());
  const points = metricSeries(buffer, ["x", "y"], "reward");
  const values = points.flatMap((point) => [point["x"], point["y"]].filter((value) => value !== undefined));
  expect(values.length).toBeLessThanOrEqual(POINT_LIMIT);
  expect(points.at(-1)).toEqual({ x: 3000, y: 3000 });
});

test("arms are joined by step and a missing number stays null", () => {
  const buffer = bufferOf([
    evaluation("p", 0, 0.4),
    evaluation("s", 0, 0.4),
    evaluation("p", 5, null),
    evaluation("s", 5, 0.5),
  ]);
  const points = evaluationSeries(buffer, ["p", "s"], (row) => row.score);
  expect(points).toEqual([
    { x: 0, p: 0.4, s: 0.4 },
    { x: 5, p: null, s: 0.5 },
  ]);
  expect(lastValue(points, "p")).toBe(0.4);
  expect(lastValue(points, "nobody")).toBeNull();
});

test("a metric that was not logged is null, not 0", () => {
  const buffer = bufferOf([step("p", 1)]);
  expect(metricSeries(buffer, ["p"], "kl")).toEqual([{ x: 1, p: null }]);
});

test("pressure is split by state and keeps its sum", () => {
  const criteria = [
    criterion("a", { pressure: 0.2, state: "dead" }),
    criterion("b", { pressure: 0.3, state: "saturated" }),
    criterion("c", { pressure: 0.5 }),
  ];
  expect(pressureSeries([step("p", 1, { criteria })])).toEqual([
    { x: 1, dead: 0.2, saturated: 0.3, learning: 0.5, unseen: 0 },
  ]);
});

test("what teaches is told once a criterion's state is known, and is then a number, be it 0", () => {
  const seen = { learning: 0, saturated: 0, dead: 0.4, unseen: 0.6 };
  expect(teachingShare(undefined)).toBeNull();
  expect(teachingShare({ learning: 0, saturated: 0, dead: 0, unseen: 1 })).toBeNull();
  expect(teachingShare(seen)).toBe(0);
  expect(teachingShare({ ...seen, learning: 0.1, unseen: 0.5 })).toBe(0.1);
});

test("a criterion that came later has no past", () => {
  const steps = [step("p", 1), step("p", 2, { criteria: [criterion("a", { alpha: 2 }), criterion("new")] })];
  const alphas = criteriaSeries(
    steps,
    ["a", "new"],
    (row) => row.alpha,
    () => "",
  );
  expect(alphas).toEqual([
    { x: 1, a: 1, new: null },
    { x: 2, a: 2, new: 1 },
  ]);
  expect(stripCells(steps, "new", 64, () => true)).toEqual([
    { slot: 1, step: 2, passRate: 0.5, state: "learning", alpha: 1, own: true },
  ]);
});

test("a line breaks where its measure changed, and only there", () => {
  const versions = [1, 1, 2, 2, 1];
  const buffer = bufferOf(
    versions.map((rubricVersion, i) => ({ ...evaluation("p", i, i / 10), rubricVersion })),
  );
  const points = evaluationSeries(
    buffer,
    ["p"],
    (row) => row.score,
    (row) => String(row.rubricVersion),
  );
  expect(points).toEqual([
    { x: 0, "p#1": 0 },
    { x: 1, "p#1": 0.1 },
    { x: 2, "p#2": 0.2 },
    { x: 3, "p#2": 0.3 },
    { x: 4, p: 0.4 },
  ]);
  expect(isBroken(points)).toBe(true);
  expect(pieces(points, ["p"]).get("p")).toEqual([
    { key: "p#1", values: 2 },
    { key: "p#2", values: 2 },
    { key: "p", values: 1 },
  ]);
  const whole = evaluationSeries(buffer, ["p"], (row) => row.score);
  expect(isBroken(whole)).toBe(false);
  expect(whole.map((point) => point["p"])).toEqual([0, 0.1, 0.2, 0.3, 0.4]);
});

test("what a criterion asked before its check changed is no part of its history", () => {
  const steps = [step("p", 1), step("p", 2, { rubricVersion: 2 })];
  const cells = stripCells(steps, "a", 64, (version) => version === 2);
  expect(cells.map((cell) => cell.own)).toEqual([false, true]);
  const alphas = criteriaSeries(
    steps,
    ["a"],
    (row) => row.alpha,
    (row) => String(row.rubricVersion),
  );
  expect(alphas).toEqual([
    { x: 1, "a#1": 1 },
    { x: 2, a: 1 },
  ]);
});

test("the list of edits is another one after an edit, since charts compare it with what they drew", () => {
  const buffer = bufferOf([]);
  const edit = { seed: 1, kind: "rubric", step: 3, rubricVersion: 2, summary: "", changes: [] } as const;
  const before = buffer.edits();
  buffer.append([edit]);
  expect(before).toEqual([]);
  expect(buffer.edits()).toEqual([edit]);
});
