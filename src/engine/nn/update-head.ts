/**
 * The top of an update: from the last layer's rows to log-probabilities of the completions, and from a loss of those
 * back to the rows. The same for both plans, with the head in one piece or in chunks.
 */
import { defined } from "../../base/assert.ts";
import { gradients, vectorJacobian } from "../graph/autodiff.ts";
import type { Graph, Value } from "../graph/ir.ts";
import { add, mul } from "../graph/ops/elementwise.ts";
import { matMul } from "../graph/ops/linear.ts";
import { concat, slice } from "../graph/ops/shape.ts";
import type { SharedPrefixShape } from "./attention.ts";
import { type DecoderWeights, finalNorm, headTable } from "./decoder.ts";
import type { ModelConfig } from "./model-config.ts";
import {
  chunkedHeadStatistics,
  groupLogProbs,
  headStatistics,
  logSumExpGradient,
  rowLogProbs,
} from "./token-loss.ts";
import { tableLogits } from "./vocabulary-table.ts";

export interface UpdateHead {
  /** [P*G + Nc]: token 0 of every completion (from its prompt's last row), then one per packed row. */
  readonly logProbs: Value;
  /** [P + Nc]. */
  readonly entropy: Value;
  /** d loss / d rows [N, D], for a loss of `logProbs`. */
  rowsGradient(loss: Value): Value;
}

export interface UpdateHeadOptions extends DecoderWeights {
  readonly graph: Graph;
  readonly config: ModelConfig;
  readonly shape: SharedPrefixShape;
  readonly temperature: number;
}

/**
 * rows [N, D] -> log-probabilities and entropy, also as the graph's outputs of those names. Declares the inputs
 * promptLast [P, P*Tp] (1 where a prompt's last token stands: a product, since a gather's gradient would scatter),
 * firstLabels int32 [P*G] and rowLabels int32 [Nc].
 */
export function updateHead(rows: Value, options: UpdateHeadOptions): UpdateHead {
  const { graph, shape } = options;
  const { prompts: P, group: G, promptSlots: Tp, completionRows: Nc } = shape;
  const promptLast = graph.input("promptLast", "float32", [P, P * Tp], ["P", "P*Tp"]);
  const last = matMul(promptLast, slice(rows, 0, Nc, Nc + P * Tp)); // [P, D]
  const normed = finalNorm(options, concat([slice(rows, 0, 0, Nc), last], 0)); // [Nc + P, D]
  const { temperature } = options;
  const hidden = temperature === 1 ? normed : mul(normed, 1 / temperature);
  const head = headTable(options);
  const chunked = head.length > 1;
  const { logSumExp, entropy } = chunked
    ? chunkedHeadStatistics(hidden, head)
    : headStatistics(tableLogits(head, hidden));
  const labelled = (start: number, end: number) => ({ head, logSumExp: slice(logSumExp, 0, start, end) });
  const firstLabels = graph.input("firstLabels", "int32", [P * G], ["P*G"]);
  const first = groupLogProbs(slice(hidden, 0, Nc, Nc + P), firstLabels, G, labelled(Nc, Nc + P)); // [P*G]
  const rowLabels = graph.input("rowLabels", "int32", [Nc], ["Nc"]);
  const rest = rowLogProbs(slice(hidden, 0, 0, Nc), rowLabels, labelled(0, Nc)); // [Nc]
  const logProbs = concat([first, rest], 0); // [P*G + Nc]
  const inOutputOrder = concat([slice(entropy, 0, Nc, Nc + P), slice(entropy, 0, 0, Nc)], 0); // [P + Nc]
  graph.output("logProbs", logProbs);
  graph.output("entropy", inOutputOrder);
  return {
    logProbs,
    entropy: inOutputOrder,
    rowsGradient: (loss) => {
      if (!chunked) return only(gradients(loss, [rows]));
      const [throughLabels, cotangent] = gradients(loss, [hidden, logSumExp]);
      const normaliser = { logSumExp, cotangent: defined(cotangent, "logSumExp") };
      const throughSum = logSumExpGradient(hidden, head, normaliser);
      return only(vectorJacobian([hidden], [add(defined(throughLabels, "hidden"), throughSum)], [rows]));
    },
  };
}

const only = ([value]: readonly Value[]): Value => defined(value, "gradient");
