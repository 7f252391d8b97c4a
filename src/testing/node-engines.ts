/** The engines that policy-level tests run on under Node: onnxruntime, and our own kernels. */
import { openKernelEngine } from "../engine/kernels/kernels-node.ts";
import type { Engine } from "../engine/runtime/engine.ts";
import { openNodeEngine } from "../engine/runtime/ort-node.ts";

/** Name and opener, for `describe.each`. */
export const NODE_ENGINES: readonly (readonly [name: string, open: () => Promise<Engine>])[] = [
  ["onnxruntime", () => Promise.resolve(openNodeEngine(1))],
  ["our kernels", openKernelEngine],
];
