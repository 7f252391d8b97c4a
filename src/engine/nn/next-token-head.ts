/**
 * The top of a question that one token answers: log-probabilities of a few words after some rows. Only those rows pass the head,
 * and each once, whatever the number of words.
 */
import type { Value } from "../graph/ir.ts";
import { mul, sub } from "../graph/ops/elementwise.ts";
import { gather } from "../graph/ops/gather.ts";
import { gemm } from "../graph/ops/linear.ts";
import { finalNorm, headTable } from "./decoder.ts";
import { chunkedHeadStatistics, headStatistics } from "./token-loss.ts";
import type { UpdateHeadOptions } from "./update-head.ts";
import { tableLogits, tableRows } from "./vocabulary-table.ts";

/**
 * rows [N, D] -> log p of W words after one row of each of Q = P*G completions [Q, W], the graph's output "wordLogProbs".
 * Declares the inputs questionRows int32 [Q] and words int32 [W].
 */
export function nextTokenHead(rows: Value, options: UpdateHeadOptions & { readonly words: number }): void {
  const { graph, shape, temperature, words: W } = options;
  const Q = shape.prompts * shape.group;
  const at = graph.input("questionRows", "int32", [Q], ["P*G"]);
  const normed = finalNorm(options, gather(rows, at)); // [Q, D]
  const hidden = temperature === 1 ? normed : mul(normed, 1 / temperature);
  const head = headTable(options);
  const { logSumExp } =
    head.length > 1 ? chunkedHeadStatistics(hidden, head) : headStatistics(tableLogits(head, hidden));
  const words = graph.input("words", "int32", [W], ["W"]);
  const logits = gemm(hidden, tableRows(head, words), { transB: true }); // [Q, W]
  graph.output("wordLogProbs", sub(logits, logSumExp));
}
