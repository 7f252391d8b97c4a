/** Where the bundled model's files lie, seen from the worker's own script: no other origin is ever asked. */

/** Its folder under models/. */
export const BUNDLED_MODEL = "playground-qwen3-1m";

/** The dev server serves models/ from the root; the build puts it beside the folder of the scripts, on any sub-path. */
export function modelUrl(scriptUrl: string, isDevServer: boolean): string {
  return new URL(`${isDevServer ? "/" : "../"}models/${BUNDLED_MODEL}/`, scriptUrl).href;
}
