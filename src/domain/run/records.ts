/**
 * What a run says about itself, step by step: the rows behind every chart and export. null = missing, drawn as
 * a dash; no number here is ever made up. Axis letters: P prompts, G group, C criteria.
 */
import type { Verdict } from "../rubric/verdicts.ts";

/** A criterion's flag over the window of methods.md section 1, "Diagnostic". */
export type CriterionState = "dead" | "saturated" | "learning" | "unseen";

export interface CriterionStep {
  readonly id: string;
  /** Pass rate over the step's valid verdicts, as trained on (with judge noise). */
  readonly passRate: number | null;
  /** The same before noise flips. */
  readonly passRateBeforeNoise: number | null;
  /** Mean within-group population variance v_j. */
  readonly variance: number | null;
  /** Alpha the step was scored with; 1 for rules without alpha. */
  readonly alpha: number;
  /** Share of the reward, sums to 1 over the criteria; 0 for one that nobody judged, which the reward leaves out. */
  readonly pressure: number;
  readonly state: CriterionState;
  /** The flag's reason in words. */
  readonly reason: string;
  /** Valid verdicts of this step. */
  readonly judged: number;
}

/** One arm after one GRPO step. */
export interface ArmStep {
  readonly kind: "step";
  readonly arm: string;
  /** 1 for the first update. */
  readonly step: number;
  readonly rubricVersion: number;
  readonly promptIds: readonly string[];
  /** TRL's names and ours beside them (methods.md section 5). */
  readonly metrics: Readonly<Record<string, number | null>>;
  readonly criteria: readonly CriterionStep[];
  /** Share of the reward on criteria flagged learning. */
  readonly teachingShare: number;
  /** True where every group's advantages are 0, or no token was in the loss: the step could teach nothing. */
  readonly zeroSignal: boolean;
}

/** One arm on the held-out prompts, by the human weights, without judge noise. */
export interface Evaluation {
  readonly kind: "evaluation";
  readonly arm: string;
  /** Updates done before it; 0 = the base. */
  readonly step: number;
  readonly rubricVersion: number;
  readonly samples: number;
  /** Mean of the static-scalar formula. */
  readonly score: number | null;
  readonly balancedScore: number | null;
  readonly strictCompletion: number | null;
  /** Mean pass rate of the criteria that were neither dead nor saturated at step 0. */
  readonly learningPassRate: number | null;
  readonly categories: Readonly<Record<string, number | null>>;
  readonly criteria: readonly { readonly id: string; readonly passRate: number | null }[];
  readonly meanLength: number;
}

/** A rubric edit, drawn as a mark on the charts. */
export interface RubricEdit {
  readonly kind: "rubric";
  /** First step that uses it. */
  readonly step: number;
  readonly rubricVersion: number;
  /** One sentence for the mark's hover. */
  readonly summary: string;
  /** Every change with the criterion's id and both values; empty in records of older builds. */
  readonly changes: readonly string[];
}

export type RunRow = ArmStep | Evaluation | RubricEdit;

/** A row beside those of other seeds. */
export type SeedRow = RunRow & { readonly seed: number };

/** The rows of one seed's run as its own. */
export function rowsOfSeed(seed: number, rows: readonly RunRow[]): SeedRow[] {
  return rows.map((row) => ({ ...row, seed }));
}

export interface RolloutToken {
  readonly text: string;
  /** Log-probability under the policy that sampled it. */
  readonly logProb: number;
  /** Under the policy after the step's update; null when not measured. */
  readonly logProbAfter: number | null;
}

export interface Rollout {
  readonly text: string;
  readonly ended: boolean;
  readonly tokens: readonly RolloutToken[];
  /** As trained on. */
  readonly verdicts: readonly Verdict[];
  /** Before noise. */
  readonly verdictsBeforeNoise: readonly Verdict[];
  readonly reasons: readonly string[];
  readonly reward: number | null;
  readonly parts: Readonly<Record<string, number | null>>;
  readonly advantage: number;
}

/** One prompt's G rollouts in one step of one arm, for the inspector. */
export interface RolloutGroup {
  readonly arm: string;
  readonly step: number;
  readonly promptId: string;
  readonly promptText: string;
  readonly criterionIds: readonly string[];
  readonly rewardMean: number | null;
  readonly rewardStd: number | null;
  readonly rollouts: readonly Rollout[];
}
