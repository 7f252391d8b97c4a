/** Rows of a run as a summary reads them: evaluations of given scores every 5 steps, and steps that log round numbers. */
import type { SeedRows } from "../domain/experiment/summary.ts";
import type { ArmStep, Evaluation } from "../domain/run/records.ts";

/** @param curves each arm's score at steps 0, 5, 10 ...; it is the learning pass rate too */
export function seedRows(
  seed: number,
  curves: Readonly<Record<string, readonly (number | null)[]>>,
  strictCompletion: number | null = null,
): SeedRows {
  const rows = Object.entries(curves).flatMap(([arm, scores]) =>
    scores.flatMap((score, at) => [
      evaluationRow(arm, at * 5, score, strictCompletion),
      stepRow(arm, at * 5 + 1, 0.1 * (at + 1), at + 0.5),
    ]),
  );
  return { seed, rows };
}

function evaluationRow(
  arm: string,
  step: number,
  score: number | null,
  strictCompletion: number | null,
): Evaluation {
  return {
    kind: "evaluation",
    arm,
    step,
    rubricVersion: 1,
    samples: 8,
    score,
    balancedScore: score,
    strictCompletion,
    learningPassRate: score,
    categories: {},
    criteria: [],
    meanLength: 10,
  };
}

function stepRow(arm: string, step: number, spread: number, gradNorm: number): ArmStep {
  return {
    kind: "step",
    arm,
    step,
    rubricVersion: 1,
    promptIds: ["p"],
    metrics: { reward_std: spread, grad_norm: gradNorm, frac_reward_zero_std: 0 },
    criteria: [],
    teachingShare: 0.25,
    zeroSignal: false,
  };
}
