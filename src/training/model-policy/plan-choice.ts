/** Which plan an update takes where nobody says. */
import type { BlockBits } from "../../engine/graph/block-tensor.ts";
import { type ModelConfig, parameterCount } from "../../engine/nn/model-config.ts";

/** Whole: one graph of all layers (whole-plan.ts). Layered: one layer's graph for all layers (layered-plan.ts). */
export const PLAN_NAMES = ["whole", "layered"] as const;
export type PlanName = (typeof PLAN_NAMES)[number];

/**
 * Float32 weights up to which a model's update is one graph. Measured with a scoring and a gradient session, 8 rows of 48
 * tokens: at 55 MiB of weights the whole plan took 0.58 GB of memory on onnxruntime-node and 0.81 on WASM, the layered one
 * 0.14 and 0.33; at 128 MiB 1.28 and 1.64 against 0.19 and 0.40. A WASM heap ends at 4 GB, and a run holds several
 * sessions. The layered plan computes each layer's forward twice: a step took 1.0 to 1.5 times as long.
 */
const LARGEST_WHOLE_BYTES = 96 * 2 ** 20;

/** The plan for a model of this size. */
export function choosePlan(config: ModelConfig): PlanName {
  return 4 * parameterCount(config) <= LARGEST_WHOLE_BYTES ? "whole" : "layered";
}

/** Blocks up to which our own kernels hold a model: their memory ends at 2 GiB, and a run needs room beside it. */
const LARGEST_KERNEL_BLOCKS = 2 ** 30;

/**
 * Where no GPU computes. Float weights: our own kernels as long as a model is small, since they hold up to three copies (as they
 * lie, and packed for both directions); a large one is left to onnxruntime. Blocks: our own kernels, which hold them once and
 * sample several times as fast (SmolLM2-135M in 8 bits, 8 rows, one thread: about 59 tokens a second against 8), as long as
 * they fit.
 */
export function chooseCpuEngine(config: ModelConfig, bits: BlockBits | null = null): "kernels" | "wasm" {
  if (bits === null) return choosePlan(config) === "whole" ? "kernels" : "wasm";
  const bytes = (parameterCount(config) * (bits + 1)) / 8; // a float32 scale for each 32 values is one bit more a value
  return bytes <= LARGEST_KERNEL_BLOCKS ? "kernels" : "wasm";
}
