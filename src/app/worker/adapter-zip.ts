/** The run's adapters as one zip: a PEFT folder an arm, in a folder a seed where there are several, and a note on loading. */
import { strToU8, zipSync } from "fflate";
import type { PeftFiles } from "../../engine/weights/peft-adapter.ts";

export interface ArmAdapter {
  /** null where the run has one seed. */
  readonly seed: number | null;
  readonly arm: string;
  readonly files: PeftFiles;
}

/** `fixed` time stamps: the same adapters give the same bytes. Weights hardly compress, so nothing is. */
const OPTIONS = { level: 0, mtime: new Date(1980, 0, 2) } as const;

export function zipAdapters(
  adapters: readonly ArmAdapter[],
  model: string,
  step: number,
): Uint8Array<ArrayBuffer> {
  const files = adapters.flatMap((adapter): [string, Uint8Array][] => [
    [`${folderOf(adapter)}/adapter_config.json`, strToU8(adapter.files["adapter_config.json"])],
    [`${folderOf(adapter)}/adapter_model.safetensors`, adapter.files["adapter_model.safetensors"]],
  ]);
  const note = strToU8(noteOf(adapters.map(folderOf), model, step));
  return zipSync({ ...Object.fromEntries(files), "README.txt": note }, OPTIONS);
}

/** Where an adapter lies: names that any system takes. */
function folderOf({ seed, arm }: ArmAdapter): string {
  const name = arm.replaceAll(/[^\w-]/g, "_");
  return seed === null ? name : `seed-${seed}/${name}`;
}

function noteOf(folders: readonly string[], model: string, step: number): string {
  return `LoRA adapters after ${step} GRPO steps in the Rubric Playground, one folder an arm: ${folders.join(", ")}.
They belong to the model "${model}" (models/${model} of the playground's repository).

from peft import PeftModel
from transformers import AutoModelForCausalLM

base = AutoModelForCausalLM.from_pretrained("models/${model}")
model = PeftModel.from_pretrained(base, "${folders[0] ?? "arm"}")
`;
}
