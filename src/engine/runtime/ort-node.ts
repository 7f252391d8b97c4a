/** Loads onnxruntime-node and opens an engine on it, for headless runs and tests under Node. */
import * as ort from "onnxruntime-node";
import type { OnnxEngine } from "./engine.ts";
import { createOrtEngine } from "./ort-engine.ts";

/** An engine on the CPU; `threads` is per session. */
export function openNodeEngine(threads: number): OnnxEngine {
  return createOrtEngine(ort, "cpu", { threads });
}
