/** What the newest step taught, as numbers; the page puts them into words (text/). Pure. */
import type { ArmStep, CriterionState, CriterionStep } from "../../domain/run/records.ts";
import { stateShares } from "./series.ts";

export interface ArmShare {
  readonly arm: string;
  /** Share of the arm's reward on criteria flagged dead or saturated. */
  readonly flatShare: number;
  /** Share on criteria flagged saturated: paid for what every answer does already. */
  readonly saturatedShare: number;
  readonly zeroSignal: boolean;
}

export interface StepFacts {
  readonly step: number;
  readonly criteria: number;
  readonly counts: Readonly<Record<CriterionState, number>>;
  readonly shares: readonly ArmShare[];
  /** The focused arm's step taught nothing. */
  readonly zeroSignal: boolean;
  /** Criterion with the largest contrast-weighted pressure (pressure * sqrt(v)) of the focused arm, when any varied. */
  readonly strongest: string | null;
}

/** Pressure times contrast: how much a criterion can move the advantages of this step. */
function contrastPressure(row: CriterionStep): number {
  return row.variance === null ? 0 : row.pressure * Math.sqrt(row.variance);
}

/** Facts about the focused arm's newest step beside those of the other arms; null before the first step. */
export function stepFacts(latest: Readonly<Record<string, ArmStep>>, focus: string): StepFacts | null {
  const step = latest[focus];
  if (step === undefined) return null;
  const counts = { learning: 0, saturated: 0, dead: 0, unseen: 0 };
  let strongest: CriterionStep | null = null;
  for (const row of step.criteria) {
    counts[row.state] += 1;
    if (contrastPressure(row) > (strongest === null ? 0 : contrastPressure(strongest))) strongest = row;
  }
  const shares = Object.values(latest).map((row): ArmShare => {
    const byState = stateShares(row);
    return {
      arm: row.arm,
      flatShare: byState.dead + byState.saturated,
      saturatedShare: byState.saturated,
      zeroSignal: row.zeroSignal,
    };
  });
  return {
    step: step.step,
    criteria: step.criteria.length,
    counts,
    shares,
    zeroSignal: step.zeroSignal,
    strongest: strongest?.id ?? null,
  };
}
