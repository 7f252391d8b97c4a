/**
 * The GRPO update as one graph: log-probabilities of given completions with the prompt computed once a group, the
 * loss, and its gradient with respect to the flat adapter. Without the gradient it scores completions.
 */
import { vectorJacobian } from "../graph/autodiff.ts";
import { Graph, type Value } from "../graph/ir.ts";
import { sharedPrefixAttention, type SharedPrefixShape } from "./attention.ts";
import { declareWeights, decode, embed, ropeConstants, type Decoder, type WeightForm } from "./decoder.ts";
import { grpoTokenLoss, type GrpoLossSettings } from "./grpo-loss.ts";
import { type LoraLayout, type LoraValues, loraValues } from "./lora.ts";
import type { ModelConfig } from "./model-config.ts";
import { nextTokenHead } from "./next-token-head.ts";
import { updateHead, type UpdateHead, type UpdateHeadOptions } from "./update-head.ts";

export interface UpdateModel extends WeightForm {
  readonly config: ModelConfig;
  readonly lora: LoraLayout;
  readonly maxPositions: number;
  /** Logits are divided by it, as the sampler does. */
  readonly temperature: number;
}

/** How completion rows and prompt rows attend; an argument so that a test can cut a path and see the gradient change. */
type UpdateAttention = typeof sharedPrefixAttention;

/** The rows of an update: packed completion rows, then prompt slots. */
export function updateRows({ completionRows: Nc, prompts: P, promptSlots: Tp }: SharedPrefixShape): number {
  return Nc + P * Tp;
}

/**
 * The layers of an update's graph over its rows, with their inputs declared: positions int64 [N, 1], slotRows, rowSlots,
 * promptMask (see attention.ts).
 */
export function updateDecoder(
  graph: Graph,
  model: Omit<UpdateModel, "temperature" | "lora">,
  shape: SharedPrefixShape,
  parts: Pick<Decoder, "weight" | "matrix"> & {
    readonly lora: LoraValues;
    readonly attention: UpdateAttention;
  },
): Decoder {
  const { config, maxPositions } = model;
  const { prompts: P, group: G, promptSlots: Tp, completionSlots: S, completionRows: Nc } = shape;
  const { weight, matrix, lora, attention } = parts;
  const N = updateRows(shape);
  return {
    ...{ graph, config, weight, matrix, lora },
    positions: graph.input("positions", "int64", [N, 1]),
    rows: N,
    ...ropeConstants(graph, config, maxPositions),
    attend: attention(graph, config, shape, {
      slotRows: graph.input("slotRows", "int32", [P * G * S], ["P*G*S"]),
      rowSlots: graph.input("rowSlots", "int32", [Nc], ["Nc"]),
      promptMask: graph.input("promptMask", "float32", [P, 1, 1, Tp], ["P", "1", "1", "Tp"]),
    }),
  };
}

/**
 * Inputs (N = Nc + P*Tp rows, packed completion rows first): ids int32 [N], lora [size], those of `updateDecoder` and of
 * `updateHead`. Outputs: logProbs [P*G + Nc], entropy [P + Nc].
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
  const { graph, lora, rows, head } = scored(model, shape, { name: "grpo", attention });
  const loss = grpoTokenLoss(graph, head.logProbs, settings);
  graph.output("loss", loss);
  const matrices = vectorJacobian([rows], [head.rowsGradient(loss)], lora.matrices);
  graph.output("gradient", lora.flatten(matrices));
  return graph;
}

/**
 * As `scoreGraph`, with the inputs and the output of `nextTokenHead` in place of the head's: wordLogProbs [P*G, W].
 */
export function nextTokenGraph(model: UpdateModel, shape: SharedPrefixShape, words: number): Graph {
  const { graph, rows, top } = body(model, shape, { name: "next-token", attention: sharedPrefixAttention });
  nextTokenHead(rows, { ...top, words });
  return graph;
}

interface Body {
  readonly graph: Graph;
  readonly lora: LoraValues;
  /** After the last layer, [N, D]. */
  readonly rows: Value;
  /** What a head is made with. */
  readonly top: UpdateHeadOptions;
}

interface Scored extends Body {
  readonly head: UpdateHead;
}

interface BodyOptions {
  readonly name: string;
  readonly attention: UpdateAttention;
}

function scored(model: UpdateModel, shape: SharedPrefixShape, options: BodyOptions): Scored {
  const made = body(model, shape, options);
  return { ...made, head: updateHead(made.rows, made.top) };
}

function body(model: UpdateModel, shape: SharedPrefixShape, options: BodyOptions): Body {
  const { config, temperature } = model;
  const graph = new Graph(options.name);
  const lora = loraValues(model.lora, graph.input("lora", "float32", [model.lora.size]));
  const weights = declareWeights(graph, config, model);
  const { attention } = options;
  const { weight, matrix } = weights;
  const decoder = updateDecoder(graph, model, shape, { weight, matrix, lora, attention });
  const ids = graph.input("ids", "int32", [updateRows(shape)], ["N"]);
  const rows = decode(decoder, embed(weights, ids)); // [N, D]
  return { graph, lora, rows, top: { graph, config, shape, temperature, ...weights } };
}
