/** Opens an engine on the kernels under Node, for tests and headless runs. */
import { readFile } from "node:fs/promises";
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import type { Engine } from "../runtime/engine.ts";
import {
  createKernelEngine,
  createThreadedKernelEngine,
  type Helper,
  type HelperSetup,
} from "./kernel-engine.ts";
import { hasRelaxedSimd, type KernelBuild } from "./module.ts";

/**
 * @param build by default the one that browsers take, so that a run gives the same numbers as in the page
 * @param threads the numbers are the same for any
 */
export async function openKernelEngine(build: KernelBuild = "kernels-relaxed", threads = 1): Promise<Engine> {
  if (!hasRelaxedSimd()) setFlagsFromString("--experimental-wasm-relaxed-simd"); // Node 20 asks for it
  const known = hasRelaxedSimd() ? build : "kernels";
  const file = threads > 1 ? `${known}-threads` : known;
  const bytes = await readFile(new URL(`${file}.wasm`, import.meta.url));
  if (threads === 1) return createKernelEngine(bytes);
  return createThreadedKernelEngine(bytes, { threads, startHelper, mayWait: true });
}

/** As text, since Node starts a worker from JavaScript alone. */
const HELPER = `
  const { parentPort, workerData: { module, memory, thread } } = require("node:worker_threads");
  const abort = () => { throw new Error("the kernels stopped"); };
  const { exports } = new WebAssembly.Instance(module, { env: { memory, abort } });
  parentPort.postMessage("serves");
  try { exports.serve(thread); } catch (error) { exports.dismiss(); throw error; }
`;

function startHelper(setup: HelperSetup): Promise<Helper> {
  const worker = new Worker(HELPER, { eval: true, workerData: setup });
  worker.unref(); // it ends with the program
  return new Promise((resolve, reject) => {
    worker.once("error", reject);
    worker.once("message", () => {
      resolve({ end: () => void worker.terminate() });
    });
  });
}
