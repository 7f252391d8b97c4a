/**
 * Log-probabilities of given tokens from a head's output, without a one-hot: the label's logit is the dot product
 * of the hidden row with the label's head row, so that only logsumexp needs the full vocabulary. Where the head is cut
 * into chunks, logsumexp and its gradient go chunk by chunk and no [R, V] ever exists.
 */
import type { Value } from "../graph/ir.ts";
import { add, div, exp, log, mul, stopGradient, sub } from "../graph/ops/elementwise.ts";
import { gemm, matMul } from "../graph/ops/linear.ts";
import { reduceMax, reduceSum } from "../graph/ops/reduce.ts";
import { concat, reshape, slice } from "../graph/ops/shape.ts";
import { matrixProduct, matrixValues } from "./base-matrix.ts";
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

/**
 * The same from hidden rows [R, D], already divided by the temperature, and a head in chunks. Autodiff finds no way
 * through it: the gradient with respect to the rows is `logSumExpGradient`.
 */
export function chunkedHeadStatistics(hidden: Value, head: VocabularyTable): HeadStatistics {
  const R = hidden.dims[0] as number;
  const rows = stopGradient(hidden);
  const parts = concat(
    head.map((chunk) => reshape(chunkStatistics(matrixProduct(rows, chunk)), [1, R, 3])),
    0,
  ); // [K, R, 3]
  const part = (i: number): Value => slice(parts, 2, i, i + 1); // [K, R, 1]
  const max = reduceMax(part(0), [0]); // [R, 1]
  const share = exp(sub(part(0), max)); // [K, R, 1]
  const total = reduceSum(mul(part(1), share), [0]); // [R, 1]
  const logSumExp = add(log(total), max); // [R, 1]
  const meanLogit = div(reduceSum(mul(part(2), share), [0]), total); // [R, 1]
  return { logSumExp, entropy: reshape(sub(logSumExp, meanLogit), [R]) };
}

/**
 * Of logits x [R, rows of a chunk]: m = max x, sum of e^(x - m) and sum of e^(x - m) x, as [R, 3]. One tensor, so that the
 * runtime must finish with a chunk before anything reads of it: read apart, it would make the maxima of all chunks
 * first and keep all their logits.
 */
function chunkStatistics(x: Value): Value {
  const max = reduceMax(x, [1], true); // [R, 1]
  const e = exp(sub(x, max));
  return concat([max, reduceSum(e, [1], true), reduceSum(mul(e, x), [1], true)], 1);
}

/**
 * (d logSumExp / d hidden)^T cotangent [R, D] = (p * cotangent) W, for hidden rows already divided by the temperature and
 * p = softmax, recomputed chunk by chunk. The recomputation is the transposed product, so that no pass can merge it with
 * the forward one and keep all chunks alive.
 */
export function logSumExpGradient(
  hidden: Value,
  head: VocabularyTable,
  { logSumExp, cotangent }: { readonly logSumExp: Value; readonly cotangent: Value },
): Value {
  const R = hidden.dims[0] as number;
  const normaliser = reshape(logSumExp, [1, R]);
  const weight = reshape(cotangent, [1, R]);
  return head
    .map((chunk) => {
      const w = matrixValues(chunk);
      const x = gemm(w, hidden, { transB: true }); // [rows of the chunk, R]
      return gemm(mul(exp(sub(x, normaliser)), weight), w, { transA: true }); // [R, D]
    })
    .reduce((a, b) => add(a, b));
}

/** What both label forms share: the head, and logsumexp of the rows' logits [R, 1]. */
interface LabelContext {
  readonly head: VocabularyTable;
  readonly logSumExp: Value;
}

/** log p of one label a row: hidden [R, D] after the final norm and the temperature, labels int32 [R] -> [R]. */
export function rowLogProbs(hidden: Value, labels: Value, { head, logSumExp }: LabelContext): Value {
  const labelLogits = reduceSum(mul(hidden, tableRows(head, labels)), [1]); // [R]
  return sub(labelLogits, reshape(logSumExp, [hidden.dims[0] as number]));
}

/** log p of G labels a row: hidden [P, D] likewise, labels int32 [P*G] -> [P*G]. */
export function groupLogProbs(
  hidden: Value,
  labels: Value,
  group: number,
  { head, logSumExp }: LabelContext,
): Value {
  const [P = 0, D = 0] = hidden.dims as readonly number[];
  const labelRows = reshape(tableRows(head, labels), [P, group, D]);
  const labelLogits = reshape(matMul(labelRows, reshape(hidden, [P, D, 1])), [P, group]);
  return reshape(sub(labelLogits, logSumExp), [P * group]);
}
