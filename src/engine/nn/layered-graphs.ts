/**
 * The GRPO update cut into graphs that serve every layer in turn (gradient checkpointing at layer boundaries: Chen et
 * al. 2016, arXiv 1604.06174): embedding, one layer forward, one layer backward that recomputes its forward, and the top.
 * Weights and adapter of the layer are inputs. Memory holds one layer's intermediates and L row tensors; the numbers are
 * those of the whole graph (update-graphs.ts).
 */
import { defined } from "../../base/assert.ts";
import { vectorJacobian } from "../graph/autodiff.ts";
import { Graph, type Value } from "../graph/ir.ts";
import { sharedPrefixAttention, type SharedPrefixShape } from "./attention.ts";
import { type BaseMatrix, declareMatrix, type WeightPart, weightParts } from "./base-matrix.ts";
import { decode, declareWeights, embed, type Decoder } from "./decoder.ts";
import { grpoTokenLoss, type GrpoLossSettings } from "./grpo-loss.ts";
import { type LoraLayout, loraLayout, type LoraValues, loraValues } from "./lora.ts";
import { type ModelConfig, type WeightSpec, weightSpecs } from "./model-config.ts";
import { updateDecoder, type UpdateModel, updateRows } from "./update-graphs.ts";
import { nextTokenHead } from "./next-token-head.ts";
import { updateHead, type UpdateHead, type UpdateHeadOptions } from "./update-head.ts";

/** A model without its sampling temperature, which only the top needs. */
type Body = Omit<UpdateModel, "temperature">;

/** One layer's share of the flat adapter, the same for every layer. */
export function layerLora({ config, lora }: Pick<Body, "config" | "lora">): LoraLayout {
  return loraLayout({ ...config, layers: 1 }, lora.settings);
}

const FIRST_LAYER = "model.layers.0.";

const inputName = (name: string): string => `layer.${name.slice(FIRST_LAYER.length)}`;

function layerSpecs(config: ModelConfig): readonly WeightSpec[] {
  return weightSpecs({ ...config, layers: 1 }).filter(({ name }) => name.startsWith(FIRST_LAYER));
}

/** The layer graphs' weight inputs, each with the base weight, or the part of one, that it is at a given layer. */
export function layerWeightNames({ config, blockBits = null }: Pick<Body, "config" | "blockBits">): {
  readonly input: string;
  readonly at: (layer: number) => string;
}[] {
  return layerSpecs(config)
    .flatMap((spec) => weightParts(spec, blockBits))
    .map(({ name }) => ({
      input: inputName(name),
      at: (layer) => `model.layers.${layer}.${name.slice(FIRST_LAYER.length)}`,
    }));
}

/** Inputs: ids int32 [N]. Output: rows [N, D]. */
export function embedGraph(model: Body, shape: SharedPrefixShape): Graph {
  const graph = new Graph("embed");
  const ids = graph.input("ids", "int32", [updateRows(shape)], ["N"]);
  graph.output("next", embed(declareWeights(graph, model.config, model), ids));
  return graph;
}

/** Inputs: rows [N, D], lora [size of `layerLora`], the layer's weights and the inputs of `updateDecoder`. Output: next [N, D]. */
export function layerForwardGraph(model: Body, shape: SharedPrefixShape): Graph {
  const { graph, next } = layer("layer-forward", model, shape);
  graph.output("next", next);
  return graph;
}

/**
 * As `layerForwardGraph`, with cotangent [N, D] = d loss / d next. Outputs: previous [N, D] = d loss / d rows, and
 * gradient [size] = d loss / d lora.
 */
export function layerBackwardGraph(model: Body, shape: SharedPrefixShape): Graph {
  const { graph, rows, next, lora } = layer("layer-backward", model, shape);
  const cotangent = graph.input("cotangent", "float32", next.dims, ["N", "D"]);
  const [previous, ...matrices] = vectorJacobian([next], [cotangent], [rows, ...lora.matrices]);
  graph.output("previous", defined(previous, "rows"));
  graph.output("gradient", lora.flatten(matrices));
  return graph;
}

/** Inputs: rows [N, D] and those of `updateHead`. Outputs: logProbs [P*G + Nc], entropy [P + Nc]. */
export function topScoreGraph(model: UpdateModel, shape: SharedPrefixShape): Graph {
  return top("top-score", model, shape).graph;
}

/** Inputs: rows [N, D] and those of `nextTokenHead`. Output: wordLogProbs [P*G, W]. */
export function topNextTokenGraph(model: UpdateModel, shape: SharedPrefixShape, words: number): Graph {
  const { graph, rows, options } = topParts("top-next-token", model, shape);
  nextTokenHead(rows, { ...options, words });
  return graph;
}

/** As `topScoreGraph`, with the inputs of `grpoTokenLoss`. Further outputs: loss [] and cotangent [N, D] = d loss / d rows. */
export function topGradientGraph(
  model: UpdateModel,
  shape: SharedPrefixShape,
  settings: GrpoLossSettings,
): Graph {
  const { graph, head } = top("top-gradient", model, shape);
  const loss = grpoTokenLoss(graph, head.logProbs, settings);
  graph.output("loss", loss);
  graph.output("cotangent", head.rowsGradient(loss));
  return graph;
}

function rowsInput(graph: Graph, { config }: Body, shape: SharedPrefixShape): Value {
  return graph.input("rows", "float32", [updateRows(shape), config.hiddenSize], ["N", "D"]);
}

function layer(
  name: string,
  model: Body,
  shape: SharedPrefixShape,
): { readonly graph: Graph; readonly rows: Value; readonly next: Value; readonly lora: LoraValues } {
  const graph = new Graph(name);
  const config: ModelConfig = { ...model.config, layers: 1 };
  const layout = layerLora(model);
  const lora = loraValues(layout, graph.input("lora", "float32", [layout.size]));
  const input = ({ name: part, dtype, dims }: WeightPart): Value => graph.input(inputName(part), dtype, dims);
  const matrices = new Map<string, BaseMatrix>();
  const vectors = new Map<string, Value>();
  for (const spec of layerSpecs(config)) {
    if (spec.shape.length === 2) matrices.set(spec.name, declareMatrix(input, spec, model.blockBits ?? null));
    else for (const part of weightParts(spec, null)) vectors.set(spec.name, input(part));
  }
  const decoder: Decoder = updateDecoder(graph, { ...model, config }, shape, {
    weight: (weight) => defined(vectors.get(weight), `weight ${weight}`),
    matrix: (weight) => defined(matrices.get(weight), `weight ${weight}`),
    lora,
    attention: sharedPrefixAttention,
  });
  const rows = rowsInput(graph, model, shape);
  return { graph, rows, next: decode(decoder, rows), lora };
}

function top(
  name: string,
  model: UpdateModel,
  shape: SharedPrefixShape,
): { readonly graph: Graph; readonly head: UpdateHead } {
  const { graph, rows, options } = topParts(name, model, shape);
  return { graph, head: updateHead(rows, options) };
}

function topParts(
  name: string,
  model: UpdateModel,
  shape: SharedPrefixShape,
): { readonly graph: Graph; readonly rows: Value; readonly options: UpdateHeadOptions } {
  const graph = new Graph(name);
  const { config, temperature } = model;
  const weights = declareWeights(graph, config, model);
  const rows = rowsInput(graph, model, shape);
  return { graph, rows, options: { graph, config, shape, temperature, ...weights } };
}
