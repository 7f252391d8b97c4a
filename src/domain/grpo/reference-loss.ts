/**
 * GRPO's loss and its gradient with respect to the log-probabilities, in plain numbers: the oracle of the graph's
 * loss, and the place to read what it computes. TRL 1.16, `GRPOTrainer._compute_loss`:
 *   log ratio = lp - old, its mean over the sequence where importance_sampling_level is "sequence" (GSPO)
 *   ratio c = exp(log ratio);  token loss = -min(min(c, delta) A, clip(c, 1 - eps, 1 + eps_high) A) + beta kl
 *   kl = e^d - d - 1 with d = ref - lp (k3), times c (never clamped by delta) with `use_bias_correction_kl`
 * The normaliser is `tokenWeights`, the logged means are `lossMetrics`. Rows are sequences of different lengths; there
 * is no padding here.
 *
 * 1. With no token in the loss, a mean over tokens is missing (TRL logs 0).
 * 2. Where every completion of a batch has one token, TRL's means count masked rows too; these never do.
 */
import { invariant } from "../../base/assert.ts";
import { meanOf, type Maybe } from "../rubric/moments.ts";
import type { GrpoConfig } from "./config.ts";

export type ReferenceLossConfig = Pick<
  GrpoConfig,
  | "loss_type"
  | "epsilon"
  | "epsilon_high"
  | "delta"
  | "importance_sampling_level"
  | "beta"
  | "use_bias_correction_kl"
  | "max_completion_length"
>;

/** One completion; the lists are per token. */
export interface LossRow {
  readonly advantage: number;
  readonly logProbs: ArrayLike<number>;
  /** Under the policy that sampled; equal to `logProbs` on the first of `num_iterations`. */
  readonly oldLogProbs: ArrayLike<number>;
  /** Under the base model; only read where beta > 0. */
  readonly refLogProbs: ArrayLike<number> | null;
  /** False for a truncated completion under `mask_truncated_completions`: TRL's completion mask is 0. */
  readonly inLoss: boolean;
}

export interface LossMetrics {
  /** Mean over tokens, as TRL logs it; null when beta is 0. */
  readonly kl: Maybe;
  readonly clipRatio: ClipRatio;
}

/**
 * Shares outside the clip range on the side where that stops the gradient: of the tokens in the loss, or of all
 * sequences where the importance sampling is by sequence.
 */
export interface ClipRatio {
  readonly low: Maybe;
  readonly high: Maybe;
  readonly region: Maybe;
}

export interface LossResult extends LossMetrics {
  readonly loss: number;
  /** d loss / d logProbs, row by row. */
  readonly gradient: readonly (readonly number[])[];
}

/**
 * What one token of each row weighs in the loss; 0 in a row outside it.
 * grpo: mean over a row's tokens, then over rows; bnpo and dapo: over all tokens in the loss (they differ only when TRL
 * splits the batch); dr_grpo: divided by rows * max_completion_length. Rows outside the loss count as rows, as in TRL.
 */
export function tokenWeights(
  rows: readonly { readonly tokens: number; readonly inLoss: boolean }[],
  config: Pick<GrpoConfig, "loss_type" | "max_completion_length">,
): number[] {
  const tokens = rows.reduce((sum, row) => sum + (row.inLoss ? row.tokens : 0), 0);
  return rows.map((row) => {
    if (!row.inLoss) return 0;
    switch (config.loss_type) {
      case "grpo":
        return 1 / (Math.max(row.tokens, 1) * rows.length);
      case "bnpo":
      case "dapo":
        return 1 / Math.max(tokens, 1);
      case "dr_grpo":
        return 1 / (rows.length * config.max_completion_length);
    }
  });
}

/** Loss, gradient and logged metrics of a whole batch. */
export function referenceLoss(rows: readonly LossRow[], config: ReferenceLossConfig): LossResult {
  const sizes = rows.map((row) => ({ tokens: row.logProbs.length, inLoss: row.inLoss }));
  const weights = tokenWeights(sizes, config);
  const terms = rows.map((row) => tokenTerms(row, config));
  return {
    loss: terms.reduce(
      (sum, row, i) => sum + (weights[i] ?? 0) * row.reduce((s, term) => s + term.loss, 0),
      0,
    ),
    gradient: terms.map((row, i) =>
      slopesOf(row, config.importance_sampling_level).map((slope) => (weights[i] ?? 0) * slope),
    ),
    ...metricsOf(rows, terms, config),
  };
}

/** What TRL logs of the loss. */
export function lossMetrics(rows: readonly LossRow[], config: ReferenceLossConfig): LossMetrics {
  return metricsOf(
    rows,
    rows.map((row) => tokenTerms(row, config)),
    config,
  );
}

/** Mean over the tokens in the loss of a number per token, [rows][T_i]; null where no token is in the loss. */
export function lossTokenMean(
  rows: readonly { readonly inLoss: boolean }[],
  values: readonly ArrayLike<number>[],
): Maybe {
  return meanOf(values.flatMap((row, i) => (rows[i]?.inLoss === true ? Array.from(row) : [])));
}

function metricsOf(
  rows: readonly LossRow[],
  terms: readonly (readonly TokenTerm[])[],
  config: ReferenceLossConfig,
): LossMetrics {
  const tokens = terms.filter((_, i) => rows[i]?.inLoss === true).flat();
  const bySequence = config.importance_sampling_level === "sequence";
  const counted = bySequence ? terms.flatMap((row) => row.slice(0, 1)) : tokens;
  const share = (is: (term: TokenTerm) => boolean): Maybe => meanOf(counted.map((term) => Number(is(term))));
  return {
    kl: config.beta === 0 ? null : meanOf(tokens.map((term) => term.kl)),
    clipRatio: {
      low: share((term) => term.low),
      high: share((term) => term.high),
      region: share((term) => term.low || term.high),
    },
  };
}

interface TokenTerm {
  readonly loss: number;
  /** d loss / d log ratio */
  readonly byRatio: number;
  /** d loss / d log-probability, the ratio held: the KL term's own. */
  readonly direct: number;
  readonly kl: number;
  readonly low: boolean;
  readonly high: boolean;
}

/** d (sum of a row's token losses) / d log-probability; a ratio by sequence passes its slope on in equal parts. */
function slopesOf(terms: readonly TokenTerm[], level: GrpoConfig["importance_sampling_level"]): number[] {
  const shared = meanOf(terms.map((term) => term.byRatio)) ?? 0;
  return terms.map((term) => term.direct + (level === "sequence" ? shared : term.byRatio));
}

function tokenTerms(row: LossRow, config: ReferenceLossConfig): TokenTerm[] {
  const ratios = logRatios(row, config.importance_sampling_level).map(Math.exp);
  return ratios.map((ratio, t) => {
    const surrogate = surrogateOf(ratio, row.advantage, config);
    if (config.beta === 0) return { ...surrogate, direct: 0, kl: 0 };
    invariant(row.refLogProbs !== null, "reference-loss", "reference log-probabilities where beta > 0");
    const difference = (row.refLogProbs[t] ?? NaN) - (row.logProbs[t] ?? NaN);
    const k3 = Math.exp(difference) - difference - 1;
    const factor = config.use_bias_correction_kl ? ratio : 1;
    return {
      ...surrogate,
      loss: surrogate.loss + config.beta * k3 * factor,
      byRatio: surrogate.byRatio + (config.use_bias_correction_kl ? config.beta * k3 * ratio : 0),
      direct: config.beta * (1 - Math.exp(difference)) * factor,
      kl: k3 * factor,
    };
  });
}

/** The log of the importance ratio of each token; 0 in a row outside the loss. */
function logRatios(row: LossRow, level: GrpoConfig["importance_sampling_level"]): number[] {
  const differences = Array.from(row.logProbs, (logProb, t) =>
    row.inLoss ? logProb - (row.oldLogProbs[t] ?? NaN) : 0,
  );
  if (level === "token") return differences;
  return differences.map(() => meanOf(differences) ?? 0);
}

/** The clipped surrogate. Where both branches are equal, so are their slopes. */
function surrogateOf(ratio: number, advantage: number, config: ReferenceLossConfig) {
  const [lowest, highest] = [1 - config.epsilon, 1 + (config.epsilon_high ?? config.epsilon)];
  const limited = Math.min(ratio, config.delta ?? Infinity);
  const clipped = Math.min(Math.max(ratio, lowest), highest);
  const [free, bound] = [limited * advantage, clipped * advantage];
  const freeSlope = limited === ratio ? -ratio * advantage : 0;
  const boundSlope = clipped === ratio ? -ratio * advantage : 0;
  return {
    loss: -Math.min(free, bound),
    byRatio: free <= bound ? freeSlope : boundSlope,
    low: limited < lowest && advantage < 0,
    high: limited > highest && advantage > 0,
  };
}
