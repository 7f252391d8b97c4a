/**
 * The GRPO update as one graph: log-probabilities of given completions with the prompt computed once a group, the
 * loss, and its gradient with respect to the flat adapter. Without the gradient it scores completions.
 */
import { gradients } from "../graph/autodiff.ts";
import { Graph, type Value } from "../graph/ir.ts";
import { mul } from "../graph/ops/elementwise.ts";
import { matMul } from "../graph/ops/linear.ts";
import { concat, slice } from "../graph/ops/shape.ts";
import { sharedPrefixAttention, type SharedPrefixShape } from "./attention.ts";
import { declareWeights, decode, embed, head, headWeight, ropeConstants, type Decoder } from "./decoder.ts";
import { grpoTokenLoss, type GrpoLossSettings } from "./grpo-loss.ts";
import { type LoraLayout, loraValues } from "./lora.ts";
import type { ModelConfig } from "./model-config.ts";
import { groupLogProbs, headStatistics, rowLogProbs } from "./token-loss.ts";

export interface UpdateModel {
  readonly config: ModelConfig;
  readonly lora: LoraLayout;
  readonly maxPositions: number;
  /** Logits are divided by it, as the sampler does. */
  readonly temperature: number;
}

/** How completion rows and prompt rows attend; an argument so that a test can cut a path and see the gradient change. */
type UpdateAttention = typeof sharedPrefixAttention;

interface Scored {
  readonly graph: Graph;
  readonly lora: ReturnType<typeof loraValues>;
  /** [P*G + Nc]: token 0 of every completion (from its prompt's last row), then one per packed row. */
  readonly logProbs: Value;
}

/**
 * Inputs (N = Nc + P*Tp rows, packed completion rows first): ids int32 [N], positions int64 [N, 1], slotRows,
 * rowSlots, promptMask (see attention.ts), promptLast [P, P*Tp] (1 where a prompt's last token stands: a product, since a
 * gather's gradient would scatter), firstLabels
 * int32 [P*G], rowLabels int32 [Nc], lora [size]. Outputs: logProbs [P*G + Nc], entropy [P + Nc].
 */
export function scoreGraph(model: UpdateModel, shape: SharedPrefixShape): Graph {
  return scored(model, shape, { name: "score", attention: sharedPrefixAttention }).graph;
}

/**
 * As `scoreGraph`, with the inputs of `grpoTokenLoss`, each [P*G + Nc]; further outputs: loss [] and gradient [size].
 */
export function grpoGraph(
  model: UpdateModel,
  shape: SharedPrefixShape,
  settings: GrpoLossSettings,
  attention: UpdateAttention = sharedPrefixAttention,
): Graph {
  const { graph, lora, logProbs } = scored(model, shape, { name: "grpo", attention });
  const loss = grpoTokenLoss(graph, logProbs, settings);
  graph.output("loss", loss);
  graph.output("gradient", lora.flatten(gradients(loss, lora.matrices)));
  return graph;
}

function scored(
  model: UpdateModel,
  shape: SharedPrefixShape,
  options: { readonly name: string; readonly attention: UpdateAttention },
): Scored {
  const { config, maxPositions } = model;
  const { prompts: P, group: G, promptSlots: Tp, completionSlots: S, completionRows: Nc } = shape;
  const graph = new Graph(options.name);
  const N = Nc + P * Tp;
  const lora = loraValues(model.lora, graph.input("lora", "float32", [model.lora.size]));
  const decoder: Decoder = {
    graph,
    config,
    weight: declareWeights(graph, config),
    lora,
    positions: graph.input("positions", "int64", [N, 1]),
    rows: N,
    ...ropeConstants(graph, config, maxPositions),
    attend: options.attention(graph, config, shape, {
      slotRows: graph.input("slotRows", "int32", [P * G * S], ["P*G*S"]),
      rowSlots: graph.input("rowSlots", "int32", [Nc], ["Nc"]),
      promptMask: graph.input("promptMask", "float32", [P, 1, 1, Tp], ["P", "1", "1", "Tp"]),
    }),
  };
  const rows = decode(decoder, embed(decoder, graph.input("ids", "int32", [N], ["N"]))); // [N, D]
  const last = matMul(
    graph.input("promptLast", "float32", [P, P * Tp], ["P", "P*Tp"]),
    slice(rows, 0, Nc, N),
  ); // [P, D]
  const { hidden, logits } = head(decoder, concat([slice(rows, 0, 0, Nc), last], 0)); // [Nc + P, .]
  const scale = 1 / model.temperature;
  const { logSumExp, entropy } = headStatistics(scale === 1 ? logits : mul(logits, scale));
  const labelled = (start: number, end: number) => ({
    headWeight: headWeight(decoder),
    scale,
    logSumExp: slice(logSumExp, 0, start, end),
  });
  const firstLabels = graph.input("firstLabels", "int32", [P * G], ["P*G"]);
  const first = groupLogProbs(slice(hidden, 0, Nc, Nc + P), firstLabels, G, labelled(Nc, Nc + P)); // [P*G]
  const rowLabels = graph.input("rowLabels", "int32", [Nc], ["Nc"]);
  const rest = rowLogProbs(slice(hidden, 0, 0, Nc), rowLabels, labelled(0, Nc)); // [Nc]
  const logProbs = concat([first, rest], 0); // [P*G + Nc]
  graph.output("logProbs", logProbs);
  graph.output("entropy", concat([slice(entropy, 0, Nc, Nc + P), slice(entropy, 0, 0, Nc)], 0)); // [P + Nc]
  return { graph, lora, logProbs };
}
