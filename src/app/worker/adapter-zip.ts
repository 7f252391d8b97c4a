/** The run's adapters as one zip: a PEFT folder an arm, and a note that says how to load them. */
import { strToU8, zipSync } from "fflate";
import type { PeftFiles } from "../../engine/weights/peft-adapter.ts";

export interface ArmAdapter {
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
  const files = adapters.flatMap(({ arm, files: peft }): [string, Uint8Array][] => [
    [`${safeName(arm)}/adapter_config.json`, strToU8(peft["adapter_config.json"])],
    [`${safeName(arm)}/adapter_model.safetensors`, peft["adapter_model.safetensors"]],
  ]);
  const note = strToU8(
    noteOf(
      adapters.map(({ arm }) => safeName(arm)),
      model,
      step,
    ),
  );
  return zipSync({ ...Object.fromEntries(files), "README.txt": note }, OPTIONS);
}

/** An arm's id as a folder's name on any system. */
function safeName(arm: string): string {
  return arm.replaceAll(/[^\w-]/g, "_");
}

function noteOf(arms: readonly string[], model: string, step: number): string {
  return `LoRA adapters after ${step} GRPO steps in the Rubric Playground, one folder an arm: ${arms.join(", ")}.
They belong to the model "${model}" (models/${model} of the playground's repository).

from peft import PeftModel
from transformers import AutoModelForCausalLM

base = AutoModelForCausalLM.from_pretrained("models/${model}")
model = PeftModel.from_pretrained(base, "${arms[0] ?? "arm"}")
`;
}
