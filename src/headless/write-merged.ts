/** An experiment's trained models with their adapters merged in, as folders that transformers loads. */
import { mkdir, open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loraLayout } from "../engine/nn/lora.ts";
import type { LoadedModel } from "../engine/weights/load-model.ts";
import { loadedDtype, mergedModelFiles, mergedSafetensors } from "../engine/weights/merged-model.ts";
import type { RunRecord } from "../training/run-record.ts";

/** Each arm's merged model in a folder, by seed; one tensor at a time is in memory. */
export async function writeMerged(
  folder: string,
  { arms, spec }: RunRecord,
  { config, weights, endTokenIds, tokenizerFiles }: LoadedModel,
): Promise<void> {
  const dtype = loadedDtype(weights);
  const layout = loraLayout(config, spec.grpo.lora);
  for (const { id, adapter } of arms) {
    const place = join(folder, `seed-${spec.seed}`, id.replaceAll(/[^\w-]/g, "_"));
    await mkdir(place, { recursive: true });
    const files = mergedModelFiles(config, endTokenIds, tokenizerFiles, dtype);
    for (const [name, text] of Object.entries(files)) await writeFile(join(place, name), text);
    const file = await open(join(place, "model.safetensors"), "w");
    try {
      for (const part of mergedSafetensors({ config, weights, layout, adapter, dtype }))
        await file.writeFile(part);
    } finally {
      await file.close();
    }
    console.log(`merged model (${dtype}): ${place}`);
  }
}
