/** The bundled model's files and where they lie, seen from the worker's own script: no other origin is ever asked. */
import type { ModelSource } from "../../engine/weights/model-source.ts";

/** Its folder under models/. */
export const BUNDLED_MODEL = "playground-qwen3-1m";

/** The dev server serves models/ from the root; the build puts it beside the folder of the scripts, on any sub-path. */
export function modelUrl(scriptUrl: string, isDevServer: boolean): string {
  return new URL(`${isDevServer ? "/" : "../"}models/${BUNDLED_MODEL}/`, scriptUrl).href;
}

/** What it consists of: files that other models have are not asked for, since the browser would log each as an error. */
const BUNDLED_FILES: readonly string[] = [
  "config.json",
  "generation_config.json",
  "model.safetensors",
  "tokenizer.json",
  "tokenizer_config.json",
];

/** The source, asked only for files that the bundled model has. */
export function bundledFilesOf(source: ModelSource): ModelSource {
  return {
    name: source.name,
    read: (path, options) =>
      BUNDLED_FILES.includes(path) ? source.read(path, options) : Promise.resolve(null),
  };
}
