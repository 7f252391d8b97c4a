/** Which models are updated as one graph: by their weights' bytes as Hugging Face's configs give them. */
import { expect, it } from "vitest";
import { parameterCount, type ModelConfig } from "../../engine/nn/model-config.ts";
import { chooseCpuEngine, choosePlan } from "./plan-choice.ts";

const BUNDLED: ModelConfig = {
  architecture: "qwen3",
  hiddenSize: 128,
  layers: 4,
  heads: 4,
  kvHeads: 2,
  headDim: 32,
  mlpSize: 384,
  vocabSize: 1868,
  ropeTheta: 10_000,
  rmsNormEps: 1e-6,
  tieWordEmbeddings: true,
  maxPositions: 256,
};
const QWEN3_0_6B: ModelConfig = {
  ...BUNDLED,
  ...{ hiddenSize: 1024, layers: 28, heads: 16, kvHeads: 8, headDim: 128, mlpSize: 3072, vocabSize: 151_936 },
};

it("counts the parameters that Qwen3-0.6B is named for", () => {
  expect(parameterCount(QWEN3_0_6B)).toBe(596_049_920); // its safetensors' total, embeddings tied
});

it("keeps the bundled model whole and goes by layers from 96 MiB of weights on", () => {
  expect(choosePlan(BUNDLED)).toBe("whole");
  expect(choosePlan(QWEN3_0_6B)).toBe("layered");
  const withVocabulary = (vocabSize: number): ModelConfig => ({ ...BUNDLED, vocabSize });
  const rest = parameterCount(withVocabulary(0));
  const fitting = Math.floor((24 * 2 ** 20 - rest) / 128);
  expect(choosePlan(withVocabulary(fitting))).toBe("whole");
  expect(choosePlan(withVocabulary(fitting + 1))).toBe("layered");
});

it("leaves large float weights to onnxruntime, and blocks to our kernels while they fit their memory", () => {
  expect(chooseCpuEngine(BUNDLED)).toBe("kernels");
  expect(chooseCpuEngine(QWEN3_0_6B)).toBe("wasm");
  expect(chooseCpuEngine(QWEN3_0_6B, 8)).toBe("kernels"); // 671 MB
  const threeTimes = { ...QWEN3_0_6B, layers: 84 };
  expect(chooseCpuEngine(threeTimes, 8)).toBe("wasm"); // 1.7 GB
  expect(chooseCpuEngine(threeTimes, 4)).toBe("kernels");
});
