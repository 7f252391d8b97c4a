/**
 * An adapter added into the weights that it adapts, W + s B A (LoRA: arXiv 2106.09685, section 4.1), so that every token of
 * a rollout costs what the base model costs. For float weights: quantised ones keep their adapter beside them.
 */
import { defined } from "../../base/assert.ts";
import { Graph } from "../graph/ir.ts";
import { add, mul } from "../graph/ops/elementwise.ts";
import { matMul } from "../graph/ops/linear.ts";
import { linearWeightName } from "./decoder.ts";
import { type LoraLayout, type LoraModule, loraValues } from "./lora.ts";

/** Before the name of each output of `mergeGraph`. */
export const MERGED = "merged.";

/** The adapted weights, by their Hugging Face names. */
export function adaptedWeights({ entries }: LoraLayout): readonly string[] {
  return entries
    .filter(({ part }) => part === "A")
    .map(({ layer, module }) => linearWeightName(layer, module));
}

/** Inputs: lora [size] and the adapted base weights [out, in]. Outputs: each of them merged, `merged.` before its name. */
export function mergeGraph(layout: LoraLayout): Graph {
  const graph = new Graph("merge");
  const values = loraValues(layout, graph.input("lora", "float32", [layout.size]));
  const merge = (layer: number, module: LoraModule): void => {
    const name = linearWeightName(layer, module);
    const { a, b } = defined(values.at(layer, module), name);
    const base = graph.weight(name, "float32", [b.dims[0] ?? 0, a.dims[1] ?? 0]);
    graph.output(`${MERGED}${name}`, add(base, matMul(mul(b, values.scale), a))); // [out, in]
  };
  for (const { part, layer, module } of layout.entries) if (part === "A") merge(layer, module);
  return graph;
}
