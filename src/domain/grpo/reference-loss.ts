/**
 * GRPO's loss and its gradient with respect to the log-probabilities, in plain numbers: the oracle of the graph's
 * loss, and the place to read what it computes. TRL 1.16, `GRPOTrainer._compute_loss`, token-level ratios:
 *   ratio c = exp(lp - old);  token loss = -min(c A, clip(c, 1 - eps, 1 + eps_high) A) + beta kl
 *   kl = e^d - d - 1 with d = ref - lp (k3), times c with `use_bias_correction_kl`
 * The normaliser is `tokenWeights`. Rows are sequences of different lengths; there is no padding here.
 */
import { invariant } from "../../base/assert.ts";
import type { Maybe } from "../rubric/moments.ts";
import type { GrpoConfig } from "./config.ts";

export type ReferenceLossConfig = Pick<
  GrpoConfig,
  "loss_type" | "epsilon" | "epsilon_high" | "beta" | "use_bias_correction_kl" | "max_completion_length"
>;

/** One completion; the lists are per token. */
export interface LossRow {
  readonly advantage: number;
  readonly logProbs: readonly number[];
  /** Under the policy that sampled; equal to `logProbs` on the first of `num_iterations`. */
  readonly oldLogProbs: readonly number[];
  /** Under the base model; only read where beta > 0. */
  readonly refLogProbs: readonly number[] | null;
}

export interface LossResult {
  readonly loss: number;
  /** d loss / d logProbs, row by row. */
  readonly gradient: readonly (readonly number[])[];
  /** Mean over tokens, as TRL logs it; null when beta is 0. */
  readonly kl: Maybe;
  /** Shares of tokens outside the clip range on the side where that stops the gradient. */
  readonly clipRatio: { readonly low: number; readonly high: number; readonly region: number };
}

/**
 * What one token of each row weighs in the loss.
 * grpo: mean over a row's tokens, then over rows; bnpo and dapo: over all tokens (they differ only when TRL splits
 * the batch); dr_grpo: divided by rows * max_completion_length.
 */
export function tokenWeights(
  lengths: readonly number[],
  config: Pick<GrpoConfig, "loss_type" | "max_completion_length">,
): number[] {
  const tokens = lengths.reduce((sum, length) => sum + length, 0);
  return lengths.map((length) => {
    switch (config.loss_type) {
      case "grpo":
        return 1 / (Math.max(length, 1) * lengths.length);
      case "bnpo":
      case "dapo":
        return 1 / Math.max(tokens, 1);
      case "dr_grpo":
        return 1 / (lengths.length * config.max_completion_length);
    }
  });
}

/** Loss, gradient and logged metrics of a whole batch. */
export function referenceLoss(rows: readonly LossRow[], config: ReferenceLossConfig): LossResult {
  const weights = tokenWeights(
    rows.map((row) => row.logProbs.length),
    config,
  );
  const terms = rows.map((row) => row.logProbs.map((_, t) => tokenTerm(row, t, config)));
  const flat = terms.flat();
  const meanOver = (value: (term: TokenTerm) => number): number =>
    flat.reduce((sum, term) => sum + value(term), 0) / Math.max(flat.length, 1);
  return {
    loss: terms.reduce(
      (sum, row, i) => sum + row.reduce((s, term) => s + term.loss, 0) * (weights[i] ?? 0),
      0,
    ),
    gradient: terms.map((row, i) => row.map((term) => term.slope * (weights[i] ?? 0))),
    kl: config.beta === 0 ? null : meanOver((term) => term.kl),
    clipRatio: {
      low: meanOver((term) => Number(term.low)),
      high: meanOver((term) => Number(term.high)),
      region: meanOver((term) => Number(term.low || term.high)),
    },
  };
}

interface TokenTerm {
  readonly loss: number;
  /** d loss / d log-probability */
  readonly slope: number;
  readonly kl: number;
  readonly low: boolean;
  readonly high: boolean;
}

function tokenTerm(row: LossRow, t: number, config: ReferenceLossConfig): TokenTerm {
  const logProb = row.logProbs[t] ?? NaN;
  const ratio = Math.exp(logProb - (row.oldLogProbs[t] ?? NaN));
  const low = ratio < 1 - config.epsilon && row.advantage < 0;
  const high = ratio > 1 + (config.epsilon_high ?? config.epsilon) && row.advantage > 0;
  const surrogate = surrogateOf(ratio, row.advantage, config);
  if (config.beta === 0) return { ...surrogate, kl: 0, low, high };
  invariant(row.refLogProbs !== null, "reference-loss", "reference log-probabilities where beta > 0");
  const kl = klOf(logProb, row.refLogProbs[t] ?? NaN, config.use_bias_correction_kl ? ratio : null);
  return {
    loss: surrogate.loss + config.beta * kl.value,
    slope: surrogate.slope + config.beta * kl.slope,
    kl: kl.value,
    low,
    high,
  };
}

/** The clipped surrogate; past the clip range, on the side the advantage pushes to, it is constant. */
function surrogateOf(ratio: number, advantage: number, config: ReferenceLossConfig) {
  const upper = 1 + (config.epsilon_high ?? config.epsilon);
  const clipped = Math.min(Math.max(ratio, 1 - config.epsilon), upper);
  const free = ratio * advantage <= clipped * advantage;
  return {
    loss: -Math.min(ratio * advantage, clipped * advantage),
    slope: free ? -ratio * advantage : 0,
  };
}

function klOf(logProb: number, ref: number, ratio: number | null): { value: number; slope: number } {
  const difference = ref - logProb;
  const k3 = Math.exp(difference) - difference - 1;
  const slope = 1 - Math.exp(difference);
  return ratio === null ? { value: k3, slope } : { value: k3 * ratio, slope: (slope + k3) * ratio };
}
