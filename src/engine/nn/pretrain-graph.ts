/** Cross-entropy over whole sequences with gradients for every weight: pre-training of the bundled model, and SFT. */
import { gradients } from "../graph/autodiff.ts";
import { defined } from "../../base/assert.ts";
import { Graph, type Value } from "../graph/ir.ts";
import { mul, neg } from "../graph/ops/elementwise.ts";
import { reduceSum } from "../graph/ops/reduce.ts";
import { concat, reshape, slice } from "../graph/ops/shape.ts";
import { sequenceAttention } from "./attention.ts";
import { decode, embed, finalNorm, headTable, ropeConstants, type Decoder } from "./decoder.ts";
import { type ModelConfig, parameterCount, weightSpecs } from "./model-config.ts";
import { headStatistics, rowLogProbs } from "./token-loss.ts";
import { tableLogits } from "./vocabulary-table.ts";
import { sizeOf } from "../graph/tensor.ts";

/**
 * Inputs: parameters [n] (every weight, flat, in `weightSpecs` order), ids int32 [B*T], positions int64 [B*T, 1],
 * labels int32 [B*T] (the next token of each row), weights [B*T] (0 = not counted; they usually sum to 1).
 * Outputs: loss [] = -sum weight * log p(label), gradient [n].
 */
export function pretrainGraph(config: ModelConfig, B: number, T: number): Graph {
  const graph = new Graph("pretrain");
  const parameters = graph.input("parameters", "float32", [parameterCount(config)]);
  let offset = 0;
  const matrices = weightSpecs(config).map(({ shape }) => {
    const start = offset;
    offset += sizeOf(shape);
    return reshape(slice(parameters, 0, start, offset), shape);
  });
  const byName = new Map(weightSpecs(config).map((spec, i) => [spec.name, matrices[i]]));
  const weight = (name: string): Value => defined(byName.get(name), `weight ${name}`);
  const top = { config, weight, matrix: weight, table: (name: string) => [weight(name)] };
  const N = B * T;
  const decoder: Decoder = {
    graph,
    config,
    weight,
    matrix: weight,
    lora: null,
    positions: graph.input("positions", "int64", [N, 1]),
    rows: N,
    ...ropeConstants(graph, config, T),
    attend: sequenceAttention(graph, config, B, T),
  };
  const rows = decode(decoder, embed(top, graph.input("ids", "int32", [N], ["B*T"]))); // [N, D]
  const hidden = finalNorm(top, rows);
  const head = headTable(top);
  const { logSumExp } = headStatistics(tableLogits(head, hidden));
  const labels = graph.input("labels", "int32", [N], ["B*T"]);
  const logProbs = rowLogProbs(hidden, labels, { head, logSumExp }); // [N]
  const loss = neg(reduceSum(mul(logProbs, graph.input("weights", "float32", [N], ["B*T"])), [0]));
  graph.output("loss", loss);
  const flat = gradients(loss, matrices).map((gradient, i) =>
    reshape(gradient, [sizeOf(weightSpecs(config)[i]?.shape ?? [])]),
  );
  graph.output("gradient", concat(flat, 0));
  return graph;
}
