/**
 * The GRPO loss per token (DeepSeekMath, arXiv 2402.03300, eq. 3; clipping as PPO; TRL 1.16 `_compute_loss`), as a
 * graph. Which mean is taken (grpo, bnpo, dr_grpo, dapo) is in the token weights, which the caller computes:
 * they sum what TRL's normaliser divides by.
 */
import type { Graph, Value } from "../graph/ir.ts";
import { add, clip, exp, minimum, mul, neg, sub } from "../graph/ops/elementwise.ts";
import { reduceSum } from "../graph/ops/reduce.ts";

export interface GrpoLossSettings {
  readonly epsilonLow: number;
  readonly epsilonHigh: number;
  readonly beta: number;
  /** TRL's use_bias_correction_kl: the k3 estimate times the differentiable importance ratio. */
  readonly biasCorrection: boolean;
}

/** Per-token inputs, all [M]. `refLogProbs` is needed when beta > 0. */
interface GrpoLossTokens {
  readonly logProbs: Value;
  readonly oldLogProbs: Value;
  readonly refLogProbs: Value | null;
  readonly advantages: Value;
  readonly weights: Value;
}

/** sum_m weight_m * (-min(r A, clip(r) A) + beta KL): a scalar. */
function grpoLoss(tokens: GrpoLossTokens, settings: GrpoLossSettings): Value {
  const { logProbs, oldLogProbs, refLogProbs, advantages, weights } = tokens;
  const ratio = exp(sub(logProbs, oldLogProbs)); // [M]
  const clipped = clip(ratio, 1 - settings.epsilonLow, 1 + settings.epsilonHigh);
  let loss = neg(minimum(mul(ratio, advantages), mul(clipped, advantages)));
  if (refLogProbs) {
    const delta = sub(refLogProbs, logProbs);
    const k3 = sub(sub(exp(delta), delta), 1); // e^(ref - pi) - (ref - pi) - 1
    loss = add(loss, mul(settings.biasCorrection ? mul(k3, ratio) : k3, settings.beta));
  }
  return reduceSum(mul(loss, weights), [0]);
}

/**
 * The loss of log-probabilities [M], with its other inputs declared in the graph by name: advantages, oldLogProbs,
 * weights and, with beta > 0, refLogProbs, each float32 [M]; weight 0 = not a token.
 */
export function grpoTokenLoss(graph: Graph, logProbs: Value, settings: GrpoLossSettings): Value {
  const perToken = (name: string): Value => graph.input(name, "float32", logProbs.dims, ["tokens"]);
  return grpoLoss(
    {
      logProbs,
      oldLogProbs: perToken("oldLogProbs"),
      refLogProbs: settings.beta > 0 ? perToken("refLogProbs") : null,
      advantages: perToken("advantages"),
      weights: perToken("weights"),
    },
    settings,
  );
}
