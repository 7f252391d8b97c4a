/** What page and worker say to each other about judges: keys, budgets, one answer tried, agreement with what is known. */
import type { Rubric } from "../../domain/rubric/schema.ts";
import type { Judgement, Verdict } from "../../domain/rubric/verdicts.ts";
import type { JudgeSpec } from "../../domain/run/judge-spec.ts";
import type { JudgeBudget, JudgeUsage } from "../../domain/run/judge-usage.ts";
import type { ModelChoice } from "./model-messages.ts";

/** Counts of a run's judges, and of one that is being tried; null = there is none. */
export interface JudgeUsages {
  readonly training: JudgeUsage | null;
  readonly heldOut: JudgeUsage | null;
  readonly trial: JudgeUsage | null;
}

export const NO_USAGES: JudgeUsages = { training: null, heldOut: null, trial: null };

/** A person's verdict on an answer. */
export interface HumanLabel {
  /** What was asked; null = nobody says. */
  readonly prompt: string | null;
  readonly answer: string;
  readonly criterionId: string;
  readonly met: boolean;
}

/** One answer under one criterion, by the judge and by what it is compared with. */
export interface Compared {
  readonly criterionId: string;
  /** 1 = met, by the criterion's words; null = missing. */
  readonly judge: Verdict;
  readonly truth: Verdict;
  /** A local judge's; null for others. */
  readonly pYes: number | null;
}

export interface JudgeRequests {
  /** Stays in the worker's memory; null forgets it. */
  setJudgeKey: { params: { url: string; key: string | null }; result: Record<string, never> };
  /** Another budget for the run's judge, from now on. */
  setJudgeBudget: {
    params: { of: "training" | "heldOut"; budget: JudgeBudget };
    result: Record<string, never>;
  };
  /** Loads a second model, to judge with; what was loaded as one before ends. null ends it. */
  loadJudgeModel: { params: { model: ModelChoice | null }; result: { name: string | null } };
  /** One answer under every criterion, by the judge and by the criterion's check where it has one. */
  tryJudge: {
    params: { judge: JudgeSpec; rubric: Rubric; promptId: string | null; answer: string };
    result: { judged: readonly Judgement[]; checked: readonly (Judgement | null)[] };
  };
  /** The judge on the newest rollouts against their checks, or on labelled answers against the labels. */
  compareJudge: {
    params: { judge: JudgeSpec; rubric: Rubric; labels: readonly HumanLabel[] | null; mostAnswers: number };
    result: { compared: readonly Compared[] };
  };
  /** What is remembered of judges' verdicts beyond this page: bytes in the browser's storage, null = nothing is kept there. */
  judgeMemory: { params: Record<string, never>; result: { keptBytes: number | null } };
  /** Forgets every verdict, here and in the browser's storage. */
  forgetVerdicts: { params: Record<string, never>; result: Record<string, never> };
  /** Ends what is being tried or compared. */
  stopJudgeTrial: { params: Record<string, never>; result: Record<string, never> };
}
