/** An experiment's trained adapters as PEFT folders. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loraLayout } from "../engine/nn/lora.ts";
import type { LoadedModel } from "../engine/weights/load-model.ts";
import { writePeftAdapter } from "../engine/weights/peft-adapter.ts";
import type { RunRecord } from "../training/run-record.ts";

/** Each arm's adapter as a PEFT folder, by seed. */
export async function writeAdapters(
  folder: string,
  { arms, spec }: RunRecord,
  model: LoadedModel,
): Promise<void> {
  const layout = loraLayout(model.config, spec.grpo.lora);
  for (const { id, adapter } of arms) {
    const place = join(folder, `seed-${spec.seed}`, id.replaceAll(/[^\w-]/g, "_"));
    await mkdir(place, { recursive: true });
    const files = writePeftAdapter(adapter, layout, { name: model.name });
    await writeFile(join(place, "adapter_config.json"), files["adapter_config.json"]);
    await writeFile(join(place, "adapter_model.safetensors"), files["adapter_model.safetensors"]);
    console.log(`adapter: ${place}`);
  }
}
