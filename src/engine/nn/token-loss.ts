/**
 * Log-probabilities of given tokens from a head's output, without a one-hot: the label's logit is the dot product
 * of the hidden row with the label's head row, so that only logsumexp needs the full vocabulary.
 */
import type { Value } from "../graph/ir.ts";
import { add, exp, log, mul, stopGradient, sub } from "../graph/ops/elementwise.ts";
import { gather } from "../graph/ops/gather.ts";
import { matMul } from "../graph/ops/linear.ts";
import { reduceMax, reduceSum } from "../graph/ops/reduce.ts";
import { reshape } from "../graph/ops/shape.ts";

export interface HeadStatistics {
  /** logsumexp of the scaled logits, [R, 1]. */
  readonly logSumExp: Value;
  /** Entropy of each row's distribution in nats, [R]; a metric, no gradient runs through it. */
  readonly entropy: Value;
}

/** Statistics of rows of logits [R, V], already divided by the temperature. */
export function headStatistics(logits: Value): HeadStatistics {
  const max = stopGradient(reduceMax(logits, [1], true)); // [R, 1]
  const e = exp(sub(logits, max)); // [R, V]
  const total = reduceSum(e, [1], true); // [R, 1]
  const logSumExp = add(log(total), max); // [R, 1]
  const meanLogit = mul(reduceSum(mul(e, logits), [1], true), exp(mul(log(total), -1))); // [R, 1]
  const rows = logits.dims[0] as number;
  return { logSumExp, entropy: stopGradient(reshape(sub(logSumExp, meanLogit), [rows])) };
}

/** What both label forms share: the head's matrix, 1 / temperature, and logsumexp of the scaled logits. */
interface LabelContext {
  /** [V, D]. */
  readonly headWeight: Value;
  readonly scale: number;
  /** [R, 1]. */
  readonly logSumExp: Value;
}

/** log p of one label a row: hidden [R, D] after the final norm, labels int32 [R] -> [R]. */
export function rowLogProbs(hidden: Value, labels: Value, context: LabelContext): Value {
  const rows = hidden.dims[0] as number;
  const labelLogits = reduceSum(mul(hidden, gather(context.headWeight, labels, 0)), [1]); // [R]
  return sub(mul(labelLogits, context.scale), reshape(context.logSumExp, [rows]));
}

/** log p of G labels a row: hidden [P, D], labels int32 [P*G] -> [P*G]. */
export function groupLogProbs(hidden: Value, labels: Value, group: number, context: LabelContext): Value {
  const [P = 0, D = 0] = hidden.dims as readonly number[];
  const labelRows = reshape(gather(context.headWeight, labels, 0), [P, group, D]);
  const labelLogits = reshape(matMul(labelRows, reshape(hidden, [P, D, 1])), [P, group]);
  return reshape(sub(mul(labelLogits, context.scale), context.logSumExp), [P * group]);
}
