/** A Qwen3 of any size with random weights, as the policy takes it: text means nothing, time is what counts. */
import { createRng } from "../../src/base/rng.ts";
import { float32, type HostTensor, sizeOf } from "../../src/engine/graph/tensor.ts";
import { type ModelConfig, weightSpecs } from "../../src/engine/nn/model-config.ts";
import type { PolicyModel } from "../../src/training/model-policy/create.ts";

/** What a growth measurement changes; the rest is the bundled model's. */
export type ModelSize = Partial<Pick<ModelConfig, "layers" | "vocabSize" | "hiddenSize">>;

const BASE: ModelConfig = {
  architecture: "qwen3",
  hiddenSize: 128,
  layers: 4,
  heads: 4,
  kvHeads: 2,
  headDim: 32,
  mlpSize: 384,
  vocabSize: 2048,
  ropeTheta: 10000,
  rmsNormEps: 1e-6,
  tieWordEmbeddings: true,
  maxPositions: 1024,
};

export function randomModel(size: ModelSize): PolicyModel {
  const config = { ...BASE, ...size };
  const rng = createRng(1, "random-model");
  const weights = new Map<string, HostTensor>();
  for (const { name, shape } of weightSpecs(config)) {
    const norm = name.includes("norm");
    weights.set(
      name,
      float32(
        shape,
        Float32Array.from({ length: sizeOf(shape) }, () => (norm ? 1 : 0.05 * rng.normal())),
      ),
    );
  }
  return { config, weights, endTokenIds: [] };
}
