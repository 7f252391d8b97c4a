import { describe, expect, test } from "vitest";
import type { Evaluation, SeedRow } from "../../domain/run/records.ts";
import { evaluationBands, highKey, lowKey, metricBands, spreadOf } from "./bands.ts";
import { comparableCount, compare, referenceGain } from "./comparison.ts";
import { createRunBuffer, type RunBuffer } from "./run-buffer.ts";

function evaluation(seed: number, arm: string, step: number, score: number): SeedRow & Evaluation {
  const base = { rubricVersion: 1, samples: 8, balancedScore: null, learningPassRate: null, meanLength: 30 };
  const scores = { score, strictCompletion: score / 2, categories: {}, criteria: [] };
  return { seed, kind: "evaluation", arm, step, ...base, ...scores };
}

function bufferOf(seeds: readonly number[], rows: readonly SeedRow[]): RunBuffer {
  const buffer = createRunBuffer();
  buffer.clear(seeds);
  buffer.append(rows);
  return buffer;
}

const scoreOf = (row: Evaluation): number | null => row.score;

describe("mean and band over seeds", () => {
  test("are the mean and its 95 % t-interval; of two seeds the two values; of one the plain line", () => {
    // s = 0.1, t(2) = 4.303: half-width 4.303 * 0.1 / sqrt(3)
    const { mean, low, high } = spreadOf([0.1, 0.2, 0.3]);
    expect(mean).toBeCloseTo(0.2, 12);
    expect(high).toBeCloseTo(0.2 + (4.303 * 0.1) / Math.sqrt(3), 12);
    expect(low).toBeCloseTo(0.2 - (4.303 * 0.1) / Math.sqrt(3), 12);
    const two = spreadOf([0.4, 0.1, null]);
    expect([two.mean, two.low, two.high]).toEqual([0.25, 0.1, 0.4]);
    expect(spreadOf([0.4])).toEqual({ mean: 0.4, low: null, high: null });
    expect(spreadOf([null, null])).toEqual({ mean: null, low: null, high: null });
    const buffer = bufferOf([5], [evaluation(5, "p", 0, 0.3)]);
    expect(evaluationBands(buffer, ["p"], scoreOf)).toEqual([{ x: 0, p: 0.3 }]);
  });

  test("wait for the last seed of a step", () => {
    const rows = [
      evaluation(1, "p", 0, 0.2),
      evaluation(2, "p", 0, 0.4),
      evaluation(1, "p", 5, 0.5),
      evaluation(1, "s", 0, 0.2),
    ];
    const buffer = bufferOf([1, 2], rows);
    const [low, high] = [lowKey("p"), highKey("p")];
    expect(evaluationBands(buffer, ["p", "s"], scoreOf)).toEqual([
      { x: 0, p: expect.closeTo(0.3, 12) as number, [low]: 0.2, [high]: 0.4 },
    ]);
    buffer.append([evaluation(2, "p", 5, 0.7)]);
    expect(evaluationBands(buffer, ["p"], scoreOf)[1]).toMatchObject({ x: 5, [low]: 0.5, [high]: 0.7 });
  });

  test("break where the measure changed, band and line alike", () => {
    const rows = [1, 2].flatMap((seed) => [
      evaluation(seed, "p", 0, seed / 10),
      { ...evaluation(seed, "p", 5, seed / 5), rubricVersion: 2 },
    ]);
    const points = evaluationBands(bufferOf([1, 2], rows), ["p"], scoreOf, (row) =>
      String(row.rubricVersion),
    );
    expect(points[0]).toMatchObject({ x: 0, [lowKey("p#1")]: 0.1, [highKey("p#1")]: 0.2 });
    expect(points[1]).toMatchObject({ x: 5, [lowKey("p")]: 0.2, [highKey("p")]: 0.4 });
  });

  test("are drawn of training metrics too, and a seed in focus is one line", () => {
    const step = (seed: number, reward: number): SeedRow => ({
      seed,
      kind: "step",
      arm: "p",
      step: 1,
      rubricVersion: 1,
      promptIds: [],
      metrics: { reward },
      criteria: [],
      teachingShare: 1,
      zeroSignal: false,
    });
    const buffer = bufferOf([1, 2], [step(1, 0.1), step(2, 0.3)]);
    expect(metricBands(buffer, ["p"], "reward")[0]).toMatchObject({ x: 1, [highKey("p")]: 0.3 });
    expect(buffer.steps("p").map(({ metrics }) => metrics["reward"])).toEqual([0.1]);
    buffer.focus(2);
    expect(buffer.steps("p").map(({ metrics }) => metrics["reward"])).toEqual([0.3]);
  });
});

describe("a comparison", () => {
  const SEEDS = [1, 2, 3];
  /** s rises slowly, p reaches its final score at step 5. */
  const rows = SEEDS.flatMap((seed) =>
    [0, 5, 10].flatMap((step) => [
      evaluation(seed, "s", step, 0.2 + 0.01 * step + 0.001 * seed),
      evaluation(seed, "p", step, 0.2 + 0.03 * step + 0.001 * seed),
    ]),
  );
  const by = { arms: ["s", "p"], reference: "s", target: null };
  const measure = (row: Evaluation): string => String(row.rubricVersion);

  test("counts what every seed and arm has, and sets the reference's gain beside a speed-up", () => {
    const buffer = bufferOf(SEEDS, rows.slice(0, -1));
    expect(comparableCount(buffer, ["s", "p"])).toBe(2);
    const part = compare(buffer, 2, by, measure);
    expect([part?.step, part?.samples, part?.hasBase]).toEqual([5, 8, true]);
    buffer.append(rows.slice(-1));
    const whole = compare(buffer, comparableCount(buffer, by.arms), by, measure);
    const p = whole?.summary.arms.find(({ arm }) => arm === "p");
    expect([p?.stepsToGoal.median, p?.stepsToGoal.reached, p?.speedUp]).toEqual([5, 3, 2]);
    expect(whole && referenceGain(whole)?.mean).toBeCloseTo(0.1, 12);
    expect(whole?.ends.map(({ arm, seed }) => `${arm}${String(seed)}`)).toEqual([
      "s0",
      "p0",
      "s1",
      "p1",
      "s2",
      "p2",
    ]);
    expect(compare(buffer, 0, by, measure)).toBeNull();
  });

  test("leaves out what another rubric scored: no base, no gain", () => {
    const edited = rows.map((row) => (row.step === 0 ? row : { ...row, rubricVersion: 2 }));
    const compared = compare(bufferOf(SEEDS, edited), 3, by, measure);
    expect(compared?.hasBase).toBe(false);
    expect(compared?.summary.steps).toEqual([5, 10]);
    expect(compared && referenceGain(compared)).toBeNull();
  });
});
