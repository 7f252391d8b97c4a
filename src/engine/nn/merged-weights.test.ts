/** Merging is exact: base + s B A, in float64, of every adapted weight and of no other. */
import { expect, test } from "vitest";
import { createRng } from "../../base/rng.ts";
import { interpret } from "../graph/interpreter.ts";
import { loraLayout } from "./lora.ts";
import { adaptedWeights, MERGED, mergeGraph } from "./merged-weights.ts";
import type { ModelConfig } from "./model-config.ts";

const CONFIG: ModelConfig = {
  ...{ architecture: "qwen3", hiddenSize: 3, layers: 2, heads: 2, kvHeads: 1, headDim: 4, mlpSize: 5 },
  ...{ vocabSize: 7, ropeTheta: 100, rmsNormEps: 1e-6, tieWordEmbeddings: true, maxPositions: 16 },
};

test("a merged weight is W + (alpha / r) B A", () => {
  const layout = loraLayout(CONFIG, { r: 2, lora_alpha: 3, target_modules: ["k_proj", "down_proj"] });
  const rng = createRng(3, "merge");
  const lora = Float64Array.from({ length: layout.size }, () => rng.normal());
  const graph = mergeGraph(layout);
  const feeds = Object.fromEntries(
    graph.inputs.map(({ name = "", dims }) => {
      const shape = dims.map(Number);
      const data = Float64Array.from({ length: shape.reduce((n, d) => n * d, 1) }, () => rng.normal());
      return [name, name === "lora" ? { dims: shape, data: lora } : { dims: shape, data }];
    }),
  );
  const merged = interpret(graph, feeds);
  expect(adaptedWeights(layout)).toEqual([
    "model.layers.0.self_attn.k_proj.weight",
    "model.layers.0.mlp.down_proj.weight",
    "model.layers.1.self_attn.k_proj.weight",
    "model.layers.1.mlp.down_proj.weight",
  ]);
  expect(Object.keys(merged)).toEqual(adaptedWeights(layout).map((name) => MERGED + name));
  const matrix = (layer: number, module: string, part: "A" | "B") => {
    const entry = layout.entries.find((e) => e.layer === layer && e.module === module && e.part === part);
    const { offset, shape } = entry ?? { offset: NaN, shape: [0, 0] as const };
    return { at: (row: number, column: number) => lora[offset + row * shape[1] + column] ?? NaN, shape };
  };
  const [a, b] = [matrix(1, "down_proj", "A"), matrix(1, "down_proj", "B")];
  const name = "model.layers.1.mlp.down_proj.weight";
  const [out, input] = [b.shape[0], a.shape[1]];
  const expected = Array.from({ length: out * input }, (_, i) => {
    const [row, column] = [Math.floor(i / input), i % input];
    const product = b.at(row, 0) * a.at(0, column) + b.at(row, 1) * a.at(1, column);
    return (feeds[name]?.data[i] ?? NaN) + 1.5 * product;
  });
  expect(merged[MERGED + name]?.dims).toEqual([out, input]);
  expected.forEach((value, i) => {
    expect(merged[MERGED + name]?.data[i]).toBeCloseTo(value, 12);
  });
});
