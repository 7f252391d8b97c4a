/** The run's adapters as one zip: a PEFT folder an arm, in a folder a seed where there are several, and a note on loading. */
import { strToU8, zipSync } from "fflate";
import type { PeftFiles } from "../../engine/weights/peft-adapter.ts";
import type { BaseModel } from "./base-model.ts";

export interface ArmAdapter {
  /** null where the run has one seed. */
  readonly seed: number | null;
  readonly arm: string;
  readonly files: PeftFiles;
}

/** `fixed` time stamps: the same adapters give the same bytes. Weights hardly compress, so nothing is. */
export const ZIP_OPTIONS = { level: 0, mtime: new Date(1980, 0, 2) } as const;

export function zipAdapters(
  adapters: readonly ArmAdapter[],
  base: BaseModel,
  step: number,
): Uint8Array<ArrayBuffer> {
  const note = strToU8(noteOf(foldersOf(adapters), base, step));
  return zipSync({ ...adapterFiles(adapters), "README.txt": note }, ZIP_OPTIONS);
}

/** Every adapter's two files by their paths. */
export function adapterFiles(adapters: readonly ArmAdapter[]): Readonly<Record<string, Uint8Array>> {
  const folders = foldersOf(adapters);
  const files = adapters.flatMap((adapter, i): [string, Uint8Array][] => [
    [`${folders[i] ?? ""}/adapter_config.json`, strToU8(adapter.files["adapter_config.json"])],
    [`${folders[i] ?? ""}/adapter_model.safetensors`, adapter.files["adapter_model.safetensors"]],
  ]);
  return Object.fromEntries(files);
}

/** Where each adapter lies: names that any system takes, also one that takes A for a, and no two of them the same. */
function foldersOf(adapters: readonly ArmAdapter[]): string[] {
  const taken = new Set<string>();
  return adapters.map(({ seed, arm }) => {
    const name = arm.replaceAll(/[^\w-]/g, "_");
    const path = seed === null ? name : `seed-${seed}/${name}`;
    let free = path;
    for (let n = 2; taken.has(free.toLowerCase()); n++) free = `${path}-${n}`;
    taken.add(free.toLowerCase());
    return free;
  });
}

const heldNote = ({ held }: BaseModel): string =>
  held === null
    ? ""
    : `
Its matrices were held in ${held} while they were trained: over its full numbers answers may differ a little.`;

/** How PEFT loads the adapters in these folders. */
export function noteOf(folders: readonly string[], base: BaseModel, step: number): string {
  return `LoRA adapters after ${step} GRPO steps in the Rubric Playground, one folder an arm: ${folders.join(", ")}.
They belong to ${base.where}.${heldNote(base)}

from peft import PeftModel
from transformers import AutoModelForCausalLM

base = AutoModelForCausalLM.from_pretrained(${base.arguments})
model = PeftModel.from_pretrained(base, "${folders[0] ?? "arm"}")
`;
}
