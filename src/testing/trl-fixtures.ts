/** What TRL computed by its own code on given completions and rewards (scripts/fixtures/make_trl_fixtures.py), typed. */
import { readFileSync } from "node:fs";
import type { GrpoConfig } from "../domain/grpo/config.ts";
import type { LossRow, ReferenceLossConfig } from "../domain/grpo/reference-loss.ts";

/** A completion as it was given to TRL. */
export interface TrlRow {
  /** Its last token is an end token. */
  readonly ended: boolean;
  readonly logProbs: readonly number[];
  readonly oldLogProbs: readonly number[];
  readonly refLogProbs: readonly number[];
  readonly entropies: readonly number[];
}

/** One step: settings, and what TRL made of its rows and rewards. */
export interface TrlStep {
  readonly name: string;
  /** Keys into `rows` and `rewards`. */
  readonly rows: string;
  readonly rewards: string;
  readonly aggregation: "sum_then_normalize" | "normalize_then_sum";
  readonly scale_rewards: GrpoConfig["scale_rewards"];
  readonly mask_truncated_completions: boolean;
  readonly config: ReferenceLossConfig;
  /** [P*G] */
  readonly advantages: readonly number[];
  readonly loss: number;
  /** d loss / d log-probabilities, [P*G][T_i]. */
  readonly gradient: readonly (readonly number[])[];
  readonly logged: Readonly<Record<string, number | null>>;
}

export interface TrlSteps {
  readonly num_generations: number;
  readonly weights: readonly number[];
  readonly rows: Readonly<Record<string, readonly TrlRow[]>>;
  readonly rewards: Readonly<Record<string, readonly (readonly (number | null)[])[]>>;
  readonly cases: readonly TrlStep[];
}

/** A file of src/testing/fixtures, parsed; the caller says what it holds. */
export function readFixture(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`fixtures/${name}`, import.meta.url), "utf8"));
}

export const trlSteps = readFixture("trl-losses.json") as TrlSteps;

/** The step's completions with TRL's advantages. */
export function lossRowsOf(step: TrlStep): LossRow[] {
  return (trlSteps.rows[step.rows] ?? []).map((row, i) => ({
    advantage: step.advantages[i] ?? NaN,
    logProbs: row.logProbs,
    oldLogProbs: row.oldLogProbs,
    refLogProbs: row.refLogProbs,
    inLoss: row.ended || !step.mask_truncated_completions,
  }));
}
