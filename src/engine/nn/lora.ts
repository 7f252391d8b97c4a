/**
 * LoRA on any of the seven linears (Hu et al. 2021, arXiv 2106.09685, eq. 3: W x + (alpha / r) B A x; rank-stabilised:
 * alpha / sqrt(r)), dropout 0.
 * All adapters of a model live in one flat float32 vector: layer by layer, module by module, A before B, so that
 * AdamW, checkpoints and gradients see one array.
 */
import type { Rng } from "../../base/rng.ts";
import { concat, reshape, slice } from "../graph/ops/shape.ts";
import type { Value } from "../graph/ir.ts";
import type { ModelConfig } from "./model-config.ts";

export const LORA_MODULES = [
  "q_proj",
  "k_proj",
  "v_proj",
  "o_proj",
  "gate_proj",
  "up_proj",
  "down_proj",
] as const;
export type LoraModule = (typeof LORA_MODULES)[number];

export interface LoraSettings {
  readonly r: number;
  readonly lora_alpha: number;
  readonly target_modules: readonly LoraModule[];
  /** Rank-stabilised (arXiv 2312.03732): scaled by alpha / sqrt(r). Absent = false. */
  readonly use_rslora?: boolean;
}

/** One matrix in the flat vector, row-major: A is [r, in], B is [out, r]. */
export interface LoraEntry {
  readonly layer: number;
  readonly module: LoraModule;
  readonly part: "A" | "B";
  readonly offset: number;
  readonly shape: readonly [number, number];
}

export interface LoraLayout {
  readonly settings: LoraSettings;
  /** alpha / r, or alpha / sqrt(r) of a rank-stabilised one. */
  readonly scale: number;
  /** Length of the flat vector. */
  readonly size: number;
  readonly entries: readonly LoraEntry[];
}

/** [out, in] of a module's base weight. */
export function moduleShape(config: ModelConfig, module: LoraModule): readonly [number, number] {
  const { hiddenSize: D, heads: H, kvHeads: Hkv, headDim: Dh, mlpSize: F } = config;
  switch (module) {
    case "q_proj":
      return [H * Dh, D];
    case "k_proj":
    case "v_proj":
      return [Hkv * Dh, D];
    case "o_proj":
      return [D, H * Dh];
    case "gate_proj":
    case "up_proj":
      return [F, D];
    case "down_proj":
      return [D, F];
  }
}

/** Where every A and B stands in the flat vector. */
export function loraLayout(config: ModelConfig, settings: LoraSettings): LoraLayout {
  const entries: LoraEntry[] = [];
  let offset = 0;
  const place = (
    layer: number,
    module: LoraModule,
    part: "A" | "B",
    shape: readonly [number, number],
  ): void => {
    entries.push({ layer, module, part, offset, shape });
    offset += shape[0] * shape[1];
  };
  for (let layer = 0; layer < config.layers; layer++) {
    for (const module of LORA_MODULES.filter((name) => settings.target_modules.includes(name))) {
      const [out, input] = moduleShape(config, module);
      place(layer, module, "A", [settings.r, input]);
      place(layer, module, "B", [out, settings.r]);
    }
  }
  return { settings, scale: loraScale(settings), size: offset, entries };
}

function loraScale({ r, lora_alpha, use_rslora = false }: LoraSettings): number {
  return lora_alpha / (use_rslora ? Math.sqrt(r) : r);
}

/** Where each matrix stands in the flat vector, by the end of PEFT's name for it. */
export function adapterTensors({ entries }: LoraLayout) {
  return entries.map(({ layer, module, part, offset, shape }) => ({
    name: `layers.${layer}.${module}.lora_${part}`,
    offset,
    length: shape[0] * shape[1],
  }));
}

/** A fresh adapter as PEFT makes it: A Kaiming-uniform with a = sqrt(5), that is U(-1/sqrt(in), 1/sqrt(in)); B zero. */
export function initialLora(layout: LoraLayout, uniform: Rng["next"]): Float32Array {
  const flat = new Float32Array(layout.size);
  for (const { part, offset, shape } of layout.entries) {
    if (part === "B") continue;
    const bound = 1 / Math.sqrt(shape[1]);
    for (let i = 0; i < shape[0] * shape[1]; i++) flat[offset + i] = (2 * uniform() - 1) * bound;
  }
  return flat;
}

/** The adapter inside a graph: its flat vector cut into matrices, and the way back for gradients. */
export interface LoraValues {
  readonly scale: number;
  /** A and B of a module, or undefined where the module has no adapter. */
  at(layer: number, module: LoraModule): { readonly a: Value; readonly b: Value } | undefined;
  /** Every matrix in the vector's order, to differentiate with respect to. */
  readonly matrices: readonly Value[];
  /** Gradients of `matrices` as one flat vector. */
  flatten(gradients: readonly Value[]): Value; // [size]
}

/** Cuts a flat adapter [size] into its matrices. */
export function loraValues(layout: LoraLayout, flat: Value): LoraValues {
  const matrices = layout.entries.map(({ offset, shape }) =>
    reshape(slice(flat, 0, offset, offset + shape[0] * shape[1]), shape),
  );
  const index = new Map(
    layout.entries.map((entry, i) => [`${entry.layer}.${entry.module}.${entry.part}`, i]),
  );
  const matrix = (layer: number, module: LoraModule, part: "A" | "B"): Value | undefined =>
    matrices[index.get(`${layer}.${module}.${part}`) ?? -1];
  return {
    scale: layout.scale,
    at: (layer, module) => {
      const a = matrix(layer, module, "A");
      const b = matrix(layer, module, "B");
      return a && b ? { a, b } : undefined;
    },
    matrices,
    flatten: (gradients) =>
      concat(
        gradients.map((gradient, i) => {
          const [rows, columns] = layout.entries[i]?.shape ?? [0, 0];
          return reshape(gradient, [rows * columns]);
        }),
        0,
      ),
  };
}
