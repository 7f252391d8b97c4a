/**
 * Log-probabilities of given tokens from a head's output, without a one-hot: the label's logit is the dot product
 * of the hidden row with the label's head row, so that only logsumexp needs the full vocabulary. Where the head is cut
 * into chunks, logsumexp and its gradient go chunk by chunk and no [R, V] ever exists.
 */
import type { Value } from "../graph/ir.ts";
import { add, exp, log, maximum, mul, stopGradient, sub } from "../graph/ops/elementwise.ts";
import { gemm, linear, matMul } from "../graph/ops/linear.ts";
import { reduceMax, reduceSum } from "../graph/ops/reduce.ts";
import { reshape } from "../graph/ops/shape.ts";
import { tableRows, type VocabularyTable } from "./vocabulary-table.ts";

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

/** Of the words seen so far, each [R, 1]: m = max x, sum of e^(x - m), and sum of e^(x - m) x. */
interface Running {
  readonly max: Value;
  readonly total: Value;
  readonly weighted: Value;
}

/**
 * The same from hidden rows [R, D] and a head in chunks. Autodiff finds no way through it: the gradient with respect to
 * `hidden` is `logSumExpGradient`.
 */
export function chunkedHeadStatistics(hidden: Value, head: VocabularyTable, scale: number): HeadStatistics {
  const rows = stopGradient(hidden);
  const { max, total, weighted } = head
    .map((chunk): Running => {
      const x = mul(linear(rows, chunk), scale); // [R, rows of the chunk]
      const top = reduceMax(x, [1], true);
      const e = exp(sub(x, top));
      return { max: top, total: reduceSum(e, [1], true), weighted: reduceSum(mul(e, x), [1], true) };
    })
    .reduce(merge);
  const logSumExp = add(log(total), max); // [R, 1]
  const meanLogit = mul(weighted, exp(mul(log(total), -1))); // [R, 1]
  return { logSumExp, entropy: reshape(sub(logSumExp, meanLogit), [rows.dims[0] as number]) };
}

function merge(a: Running, b: Running): Running {
  const max = maximum(a.max, b.max);
  const [fromA, fromB] = [exp(sub(a.max, max)), exp(sub(b.max, max))];
  return {
    max,
    total: add(mul(a.total, fromA), mul(b.total, fromB)),
    weighted: add(mul(a.weighted, fromA), mul(b.weighted, fromB)),
  };
}

/**
 * (d logSumExp / d hidden)^T cotangent [R, D] = scale * (p * cotangent) W, p = softmax recomputed chunk by chunk. The
 * recomputation is the transposed product, so that no pass can merge it with the forward one and keep all chunks alive.
 */
export function logSumExpGradient(
  hidden: Value,
  head: VocabularyTable,
  { scale, logSumExp, cotangent }: { scale: number; logSumExp: Value; cotangent: Value },
): Value {
  const R = hidden.dims[0] as number;
  const normaliser = reshape(logSumExp, [1, R]);
  const weight = reshape(mul(cotangent, scale), [1, R]);
  return head
    .map((chunk) => {
      const x = mul(gemm(chunk, hidden, { transB: true }), scale); // [rows of the chunk, R]
      const p = mul(exp(sub(x, normaliser)), weight);
      return gemm(p, chunk, { transA: true }); // [R, D]
    })
    .reduce((a, b) => add(a, b));
}

/** What both label forms share: the head, 1 / temperature, and logsumexp of the scaled logits. */
interface LabelContext {
  readonly head: VocabularyTable;
  readonly scale: number;
  /** [R, 1]. */
  readonly logSumExp: Value;
}

/** log p of one label a row: hidden [R, D] after the final norm, labels int32 [R] -> [R]. */
export function rowLogProbs(hidden: Value, labels: Value, context: LabelContext): Value {
  const rows = hidden.dims[0] as number;
  const labelLogits = reduceSum(mul(hidden, tableRows(context.head, labels)), [1]); // [R]
  return sub(mul(labelLogits, context.scale), reshape(context.logSumExp, [rows]));
}

/** log p of G labels a row: hidden [P, D], labels int32 [P*G] -> [P*G]. */
export function groupLogProbs(hidden: Value, labels: Value, group: number, context: LabelContext): Value {
  const [P = 0, D = 0] = hidden.dims as readonly number[];
  const labelRows = reshape(tableRows(context.head, labels), [P, group, D]);
  const labelLogits = reshape(matMul(labelRows, reshape(hidden, [P, D, 1])), [P, group]);
  return reshape(sub(mul(labelLogits, context.scale), context.logSumExp), [P * group]);
}
