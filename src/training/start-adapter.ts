/** An adapter that PEFT saved, as the start of a run: what its specification says of it, and its numbers. */
import type { StartAdapter } from "../domain/run/spec.ts";
import type { ModelConfig } from "../engine/nn/model-config.ts";
import { hashAdapter } from "../engine/weights/adapter-hash.ts";
import { readPeftAdapter, type PeftFolder } from "../engine/weights/peft-import.ts";

export interface OpenedStart {
  readonly start: StartAdapter;
  /** The flat vector. */
  readonly values: Float32Array;
  /** Of its earlier training; ours has none. */
  readonly dropout: number;
}

/** @throws PlaygroundError `adapter-refused` or `model-broken`, naming the field or the tensor */
export async function openStartAdapter(folder: PeftFolder, model: ModelConfig): Promise<OpenedStart> {
  const { values, lora, baseModel, dropout } = readPeftAdapter(folder, model);
  const { target_modules, ...settings } = lora;
  return {
    start: {
      name: folder.name,
      sha256: await hashAdapter(values),
      baseModel,
      lora: { ...settings, target_modules: [...target_modules] },
    },
    values,
    dropout,
  };
}
