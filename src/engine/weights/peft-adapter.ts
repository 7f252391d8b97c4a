/**
 * Our flat LoRA vector as a PEFT adapter (methods.md, section 7): `base_model.model.` before the module's path, A [r, in] and
 * B [out, r] as they are, no adapter name in the keys. Plain or rank-stabilised LoRA: no bias, no DoRA.
 */
import { PlaygroundError } from "../../base/errors.ts";
import type { HostTensor } from "../graph/tensor.ts";
import { type LoraEntry, type LoraLayout, LORA_MODULES } from "../nn/lora.ts";
import { writeSafetensors } from "./safetensors.ts";

/** The two files of an adapter folder by name. */
export interface PeftFiles {
  readonly "adapter_config.json": string;
  readonly "adapter_model.safetensors": Uint8Array;
}

/** PEFT's key of one matrix, e.g. `base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight`. */
export function peftKey({ layer, module, part }: Pick<LoraEntry, "layer" | "module" | "part">): string {
  const block = module.startsWith("gate") || module.startsWith("up") || module.startsWith("down");
  return `base_model.model.model.layers.${layer}.${block ? "mlp" : "self_attn"}.${module}.lora_${part}.weight`;
}

/** What the adapter belongs to, as PEFT writes it. */
export interface PeftBase {
  /** base_model_name_or_path */
  readonly name: string;
  /** Branch, tag or commit of a hub's model. */
  readonly revision?: string | null;
}

/**
 * The adapter as PEFT's files.
 * @throws PlaygroundError `record-invalid` when the vector does not fit the layout.
 */
export function writePeftAdapter(adapter: Float32Array, layout: LoraLayout, base: PeftBase): PeftFiles {
  if (adapter.length !== layout.size) {
    throw new PlaygroundError({
      code: "record-invalid",
      where: "adapter",
      expected: `${layout.size} numbers for this model and these LoRA settings`,
      got: `${adapter.length}`,
      next: "Save it with the model and settings it was trained with.",
    });
  }
  const tensors = new Map<string, HostTensor>();
  for (const entry of layout.entries) {
    const [rows, columns] = entry.shape;
    const data = adapter.subarray(entry.offset, entry.offset + rows * columns);
    tensors.set(peftKey(entry), { dtype: "float32", dims: [rows, columns], data });
  }
  const { r, lora_alpha, target_modules, use_rslora = false } = layout.settings;
  const config = {
    peft_type: "LORA",
    task_type: "CAUSAL_LM",
    base_model_name_or_path: base.name,
    revision: base.revision ?? null,
    r,
    lora_alpha,
    target_modules: LORA_MODULES.filter((module) => target_modules.includes(module)),
    lora_dropout: 0,
    bias: "none",
    fan_in_fan_out: false,
    inference_mode: true,
    use_rslora,
    use_dora: false,
  };
  return {
    "adapter_config.json": `${JSON.stringify(config, null, 2)}\n`,
    "adapter_model.safetensors": writeSafetensors(tensors),
  };
}
