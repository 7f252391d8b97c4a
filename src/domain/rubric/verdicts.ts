/** Verdicts and what a check sees. A verdict that could not be had is missing (null), never 0. */

/** s_ij in [0, 1], 1 = satisfied; null = missing. */
export type Verdict = number | null;

/** [G][C]: rollouts by criteria, criteria in the rubric's order. */
export type VerdictMatrix = readonly (readonly Verdict[])[];

/** One answer of the model, as checks and judges see it. */
export interface Answer {
  readonly text: string;
  /** True when the model ended it itself (EOS); false when it was cut at the length limit. */
  readonly ended: boolean;
}

/** What the prompt says, for checks that compare with it. */
export interface PromptFacts {
  /** Absent where no prompt is meant: every criterion counts then. */
  readonly id?: string;
  readonly text: string;
  /** The whole conversation, for judges; absent = `text` alone, said by the user. */
  readonly messages?: readonly { readonly role: string; readonly content: string }[];
  /** Named parts of the prompt, e.g. name, product, order, problem. A prompt typed by a person may hold none. */
  readonly fields: Readonly<Record<string, string>>;
}

/** A verdict with its reason: what matched, or what was looked for and not found. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly reason: string;
  /** Character ranges [start, end) of the answer that decided it. */
  readonly spans: readonly (readonly [number, number])[];
}
