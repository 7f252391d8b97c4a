/**
 * Reads src/testing/fixtures/steps, whole GRPO steps by PyTorch, PEFT and TRL in float64; the script that wrote them,
 * scripts/fixtures/make_step_fixtures.py, holds the format. Takes text, so that tests under Node and in a browser can use it.
 */
import { defined } from "../base/assert.ts";
import { type GrpoConfig, grpoConfigSchema } from "../domain/grpo/config.ts";
import { float32, type HostTensor, sizeOf } from "../engine/graph/tensor.ts";
import type { LoraSettings } from "../engine/nn/lora.ts";
import { type ModelConfig, weightSpecs } from "../engine/nn/model-config.ts";
import { readHfConfig } from "../engine/weights/hf-config.ts";

export const STEP_MODELS = ["qwen3", "qwen2", "llama"] as const;

/** One pass over the same completions; arrays are float64. */
interface StepPass {
  readonly loss: number;
  readonly kl: number;
  readonly entropy: number;
  /** Before clipping. */
  readonly gradNorm: number;
  /** [P][G][T_i], before the update. */
  readonly logProbs: readonly (readonly (readonly number[])[])[];
  /** Before clipping, in the flat layout. */
  readonly gradient: Float64Array;
  /** After the update. */
  readonly adapter: Float64Array;
}

interface StepGroup {
  readonly prompt: readonly number[];
  readonly rewards: readonly number[];
  readonly advantages: readonly number[];
  readonly completions: readonly {
    readonly tokens: readonly number[];
    /** float32 numbers. */
    readonly oldLogProbs: readonly number[];
    readonly refLogProbs: readonly number[];
  }[];
}

export interface StepFixture {
  readonly config: ModelConfig;
  readonly weights: ReadonlyMap<string, HostTensor>;
  readonly lora: LoraSettings;
  readonly grpo: GrpoConfig;
  readonly groups: readonly StepGroup[];
  /** Before the step. */
  readonly adapter: Float32Array;
  readonly passes: readonly StepPass[];
}

interface StepJson extends Pick<StepFixture, "lora" | "groups"> {
  readonly config: unknown;
  readonly weightNames: readonly string[];
  readonly weightShapes: readonly (readonly number[])[];
  readonly weights: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly adapter: string;
  readonly passes: readonly (Omit<StepPass, "gradient" | "adapter"> & {
    readonly gradient: string;
    readonly adapter: string;
  })[];
}

/** A fixture file's text as numbers. */
export function parseStepFixture(text: string): StepFixture {
  const json = JSON.parse(text) as StepJson;
  const { config } = readHfConfig(json.config, null, "step fixture");
  return {
    config,
    weights: cutWeights(json, config),
    lora: json.lora,
    grpo: grpoConfigSchema.parse({ ...json.settings, zero_spread_tolerance: 0 }),
    groups: json.groups,
    adapter: new Float32Array(bytesOf(json.adapter)),
    passes: json.passes.map((pass) => ({
      ...pass,
      gradient: new Float64Array(bytesOf(pass.gradient)),
      adapter: new Float64Array(bytesOf(pass.adapter)),
    })),
  };
}

function cutWeights(json: StepJson, config: ModelConfig): Map<string, HostTensor> {
  const flat = new Float32Array(bytesOf(json.weights));
  const weights = new Map<string, HostTensor>();
  let offset = 0;
  json.weightNames.forEach((name, i) => {
    const shape = defined(json.weightShapes[i], name);
    weights.set(name, float32(shape, flat.slice(offset, offset + sizeOf(shape))));
    offset += sizeOf(shape);
  });
  for (const { name, shape } of weightSpecs(config)) {
    if (weights.get(name)?.dims.join() !== shape.join()) throw new Error(`the fixture lacks ${name}`);
  }
  return weights;
}

function bytesOf(base64: string): ArrayBuffer {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)).buffer;
}
