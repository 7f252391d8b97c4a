/** Opens an engine on the kernels under Node, for tests and headless runs. Node 20 has no relaxed SIMD without a flag. */
import { readFile } from "node:fs/promises";
import type { Engine } from "../runtime/engine.ts";
import { createKernelEngine } from "./kernel-engine.ts";
import { hasRelaxedSimd } from "./module.ts";

export async function openKernelEngine(): Promise<Engine> {
  const file = hasRelaxedSimd() ? "kernels-relaxed.wasm" : "kernels.wasm";
  return createKernelEngine(await readFile(new URL(file, import.meta.url)));
}
