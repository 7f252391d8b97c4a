/** Tiny models of random weights, the same each time, for tests of any engine: every path of the decoder counts in the logits. */
import { createRng } from "../base/rng.ts";
import { float32, type HostTensor, sizeOf } from "../engine/graph/tensor.ts";
import { LORA_MODULES, type LoraSettings } from "../engine/nn/lora.ts";
import { type Architecture, type ModelConfig, weightSpecs } from "../engine/nn/model-config.ts";

export const ARCHITECTURES = ["qwen3", "qwen2", "llama"] as const satisfies readonly Architecture[];

export const TINY_LORA: LoraSettings = { r: 2, lora_alpha: 4, target_modules: LORA_MODULES };

/** Token 0 ends a completion. */
export const TINY_END = [0] as const;

/** Two layers, grouped heads; Qwen3's heads are wider than D / H, Llama has a head of its own. */
export function tinyConfig(architecture: Architecture, vocabSize: number): ModelConfig {
  return {
    architecture,
    hiddenSize: 16,
    layers: 2,
    heads: architecture === "qwen3" ? 4 : 2,
    kvHeads: architecture === "qwen3" ? 2 : 1,
    headDim: 8,
    mlpSize: 24,
    vocabSize,
    ropeTheta: 10_000,
    rmsNormEps: 1e-6,
    tieWordEmbeddings: architecture !== "llama",
    maxPositions: 48,
  };
}

export function randomWeights(config: ModelConfig): Map<string, HostTensor> {
  const rng = createRng(17, "tiny model", config.architecture);
  return new Map(
    weightSpecs(config).map(({ name, shape }) => {
      const scale = scaleOf(name, shape);
      const middle = name.includes("norm") ? 1 : 0;
      return [
        name,
        float32(
          shape,
          Float32Array.from({ length: sizeOf(shape) }, () => middle + scale * rng.normal()),
        ),
      ];
    }),
  );
}

function scaleOf(name: string, shape: readonly number[]): number {
  if (name.includes("norm")) return 0.2;
  if (name.endsWith("bias")) return 0.3;
  if (name.includes("embed_tokens") || name.includes("lm_head")) return 0.5;
  return 1.2 / Math.sqrt(shape[1] ?? 1);
}

/** An adapter whose B is not zero, so that it changes every logit. */
export function randomAdapter(size: number): Float32Array {
  const rng = createRng(18, "tiny adapter");
  return Float32Array.from({ length: size }, () => 0.15 * rng.normal());
}
