/**
 * The GRPO loss per token (DeepSeekMath, arXiv 2402.03300, eq. 3; clipping as PPO; TRL 1.16 `_compute_loss`), as a
 * graph. Which mean is taken (grpo, bnpo, dr_grpo, dapo) is in the token weights, which the caller computes:
 * they sum what TRL's normaliser divides by. Importance ratios are by token, or by sequence (GSPO, arXiv 2507.18071).
 */
import type { Graph, Value } from "../graph/ir.ts";
import { add, clip, div, exp, maximum, minimum, mul, neg, sub } from "../graph/ops/elementwise.ts";
import { gemm, matMul } from "../graph/ops/linear.ts";
import { cast, greater } from "../graph/ops/logic.ts";
import { reduceSum } from "../graph/ops/reduce.ts";
import { reshape } from "../graph/ops/shape.ts";

export interface GrpoLossSettings {
  readonly epsilonLow: number;
  readonly epsilonHigh: number;
  /** Largest ratio of the branch that is not clipped (INTELLECT-2, arXiv 2505.07291); null = off. */
  readonly delta: number | null;
  readonly beta: number;
  /** TRL's use_bias_correction_kl: the k3 estimate times the differentiable importance ratio, before `delta`. */
  readonly biasCorrection: boolean;
  /** Rows of the input `sequences`, whose tokens share one ratio; null = a ratio for each token. */
  readonly sequences: number | null;
}

/** Per-token inputs, all [M]. */
interface GrpoLossTokens {
  readonly logProbs: Value;
  readonly oldLogProbs: Value;
  /** Needed when beta > 0. */
  readonly refLogProbs: Value | null;
  readonly advantages: Value;
  readonly weights: Value;
  /** [S, M], 1 where a token is of a sequence; null = ratios by token. */
  readonly sequences: Value | null;
}

/** sum_m weight_m * (-min(min(r, delta) A, clip(r) A) + beta KL): a scalar. */
function grpoLoss(tokens: GrpoLossTokens, settings: GrpoLossSettings): Value {
  const { logProbs, oldLogProbs, refLogProbs, advantages, weights, sequences } = tokens;
  // What stands outside the loss (padding, masked completions) must not overflow either: infinity times 0 is no number.
  const inLoss = cast(greater(weights, 0), "float32"); // [M]
  const logRatio = mul(sub(logProbs, oldLogProbs), inLoss); // [M]
  const ratio = exp(sequences ? sequenceMean(logRatio, sequences) : logRatio); // [M]
  const clipped = clip(ratio, 1 - settings.epsilonLow, 1 + settings.epsilonHigh);
  const limited = settings.delta === null ? ratio : clip(ratio, 0, settings.delta);
  let loss = neg(minimum(mul(limited, advantages), mul(clipped, advantages)));
  if (refLogProbs) {
    const difference = mul(sub(refLogProbs, logProbs), inLoss);
    const k3 = sub(sub(exp(difference), difference), 1); // e^(ref - pi) - (ref - pi) - 1
    loss = add(loss, mul(settings.biasCorrection ? mul(k3, ratio) : k3, settings.beta));
  }
  return reduceSum(mul(loss, weights), [0]);
}

/** The mean of x [M] over each token's sequence, at every token: [M]; 0 at a token of no sequence. */
function sequenceMean(x: Value, sequences: Value): Value {
  const [S = 0, M = 0] = sequences.dims as readonly number[];
  const tokens = maximum(reduceSum(sequences, [1], true), 1); // [S, 1]
  const means = div(matMul(sequences, reshape(x, [M, 1])), reshape(tokens, [S, 1])); // [S, 1]
  return reshape(gemm(sequences, means, { transA: true }), [M]);
}

/**
 * The loss of log-probabilities [M], with its other inputs declared in the graph by name: advantages, oldLogProbs,
 * weights and, with beta > 0, refLogProbs, each float32 [M]; weight 0 = not a token, or one outside the loss. With
 * ratios by sequence also sequences [S, M], 1 where a token is of a sequence.
 */
export function grpoTokenLoss(graph: Graph, logProbs: Value, settings: GrpoLossSettings): Value {
  const perToken = (name: string): Value => graph.input(name, "float32", logProbs.dims, ["tokens"]);
  const { sequences: S } = settings;
  return grpoLoss(
    {
      logProbs,
      oldLogProbs: perToken("oldLogProbs"),
      refLogProbs: settings.beta > 0 ? perToken("refLogProbs") : null,
      advantages: perToken("advantages"),
      weights: perToken("weights"),
      sequences:
        S === null ? null : graph.input("sequences", "float32", [S, ...logProbs.dims], ["S", "tokens"]),
    },
    settings,
  );
}
