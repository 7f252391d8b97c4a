/** Loads the page's runtime (onnxruntime-web, WASM) under Node and opens an engine on it: headless runs by a tab's own numbers. */
import * as ort from "onnxruntime-web/wasm";
import { createOrtEngine } from "./ort-engine.ts";

/** An engine on WASM; `threads` is for all sessions, as in a tab. */
export function openNodeWasmEngine(threads: number): ReturnType<typeof createOrtEngine> {
  return createOrtEngine(ort, "wasm", { threads });
}
