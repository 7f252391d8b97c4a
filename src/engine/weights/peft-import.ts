/**
 * Reads an adapter that PEFT saved as our flat LoRA vector, the way back of peft-adapter.ts. Every tensor is accounted for: what
 * belongs to no linear of the model, has another shape, is not a number, stands there twice or not at all is refused by its name.
 */
import { PlaygroundError } from "../../base/errors.ts";
import { LORA_MODULES, type LoraEntry, loraLayout, type LoraModule, type LoraSettings } from "../nn/lora.ts";
import type { ModelConfig } from "../nn/model-config.ts";
import { peftKey } from "./peft-adapter.ts";
import { loraSettingsOf, type PeftConfig, readPeftConfig, refusedAdapter } from "./peft-config.ts";
import { parseSafetensors, type SafetensorsEntry, toFloat32 } from "./safetensors.ts";

export const ADAPTER_CONFIG = "adapter_config.json";
export const ADAPTER_WEIGHTS = "adapter_model.safetensors";

/** An adapter folder's two files. */
export interface PeftFolder {
  /** As a person knows it; named in errors. */
  readonly name: string;
  readonly config: Uint8Array;
  readonly weights: Uint8Array;
}

export interface ImportedAdapter extends Pick<PeftConfig, "baseModel" | "dropout"> {
  readonly lora: Required<LoraSettings>;
  /** Flat, in loraLayout's order. */
  readonly values: Float32Array;
}

/**
 * `base_model.model.` may be missing (saved by transformers), and an adapter's name may stand before `.weight` (PEFT in memory):
 * `base_model.model.model.layers.0.self_attn.q_proj.lora_A.default.weight`.
 */
const KEY =
  /^(?:base_model\.model\.)?model\.layers\.(\d+)\.(?:self_attn|mlp)\.(\w+)\.lora_([AB])(?:\.[^.]+)?\.weight$/;

/** Dtypes that are read as numbers. */
const FLOATS: readonly string[] = ["F32", "F16", "BF16"];

/** @throws PlaygroundError `adapter-refused` or `model-broken`, naming the field or the tensor */
export function readPeftAdapter({ name, config, weights }: PeftFolder, model: ModelConfig): ImportedAdapter {
  const settings = readPeftConfig(parseConfig(config, name), name);
  const where = `${name}/${ADAPTER_WEIGHTS}`;
  const tensors = tensorsByPlace(parseSafetensors(weights, where).entries, where);
  const present = LORA_MODULES.filter((module) => [...tensors.keys()].some((key) => key.includes(module)));
  if (tensors.size === 0)
    throw refusedAdapter(where, "lora_A and lora_B of some linears", "no tensor at all");
  const lora = loraSettingsOf(settings, settings.target_modules ?? present);
  const layout = loraLayout(model, lora);
  const values = new Float32Array(layout.size);
  for (const place of layout.entries) {
    const entry = tensors.get(peftKey(place));
    if (entry === undefined) throw refusedAdapter(`${where}: ${peftKey(place)}`, shapeText(place), "none");
    tensors.delete(peftKey(place));
    values.set(checkedValues(entry, place, where), place.offset);
  }
  const [left] = tensors.values();
  if (left !== undefined) {
    const expected = `only ${lora.target_modules.join(", ")} of ${model.layers} layers`;
    throw refusedAdapter(`${where}: ${left.name}`, expected, "a tensor more");
  }
  const { baseModel, dropout } = settings;
  return { lora, values, baseModel, dropout };
}

function parseConfig(bytes: Uint8Array, name: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    const got = cause instanceof Error ? cause.message : String(cause);
    throw refusedAdapter(`${name}/${ADAPTER_CONFIG}`, "JSON", got);
  }
}

/** The tensors by PEFT's own key of each matrix. */
function tensorsByPlace(
  entries: ReadonlyMap<string, SafetensorsEntry>,
  where: string,
): Map<string, SafetensorsEntry> {
  const found = new Map<string, SafetensorsEntry>();
  for (const entry of entries.values()) {
    const [, layer, module, part] = KEY.exec(entry.name) ?? [];
    if (layer === undefined || !(LORA_MODULES as readonly (string | undefined)[]).includes(module)) {
      throw refusedAdapter(
        `${where}: ${entry.name}`,
        `lora_A and lora_B of ${LORA_MODULES.join(", ")}`,
        "something else",
      );
    }
    const key = peftKey({ layer: Number(layer), module: module as LoraModule, part: part as "A" | "B" });
    if (found.has(key)) throw refusedAdapter(`${where}: ${entry.name}`, "each matrix once", "it twice");
    found.set(key, entry);
  }
  return found;
}

function checkedValues(entry: SafetensorsEntry, place: LoraEntry, where: string): Float32Array {
  if (entry.shape.join() !== place.shape.join()) {
    throw refusedAdapter(`${where}: ${entry.name}`, shapeText(place), `[${entry.shape.join(", ")}]`);
  }
  try {
    return toFloat32(entry, where).data as Float32Array;
  } catch (cause) {
    if (!(cause instanceof PlaygroundError)) throw cause;
    const got = FLOATS.includes(entry.dtype) ? "NaN or infinity" : entry.dtype;
    throw refusedAdapter(cause.where, "finite numbers in F32, F16 or BF16", got);
  }
}

function shapeText({ shape, part }: LoraEntry): string {
  return `[${shape.join(", ")}], ${part === "A" ? "rank by inputs" : "outputs by rank"} of the loaded model`;
}
