/** Opens an engine on the kernels under Node, for tests and headless runs. */
import { readFile } from "node:fs/promises";
import { setFlagsFromString } from "node:v8";
import type { Engine } from "../runtime/engine.ts";
import { createKernelEngine } from "./kernel-engine.ts";
import { hasRelaxedSimd, type KernelBuild } from "./module.ts";

/** @param build by default the one that browsers take, so that a run gives the same numbers as in the page */
export async function openKernelEngine(build: KernelBuild = "kernels-relaxed"): Promise<Engine> {
  if (!hasRelaxedSimd()) setFlagsFromString("--experimental-wasm-relaxed-simd"); // Node 20 asks for it
  const file = hasRelaxedSimd() ? build : "kernels";
  return createKernelEngine(await readFile(new URL(`${file}.wasm`, import.meta.url)));
}
