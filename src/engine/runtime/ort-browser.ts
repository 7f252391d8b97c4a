/**
 * Loads onnxruntime-web in a page or worker and opens an engine on it. One build per provider: the WASM provider
 * inside the WebGPU build is about half as fast as the plain WASM build. Everything comes from our own origin.
 */
import asyncifyModule from "onnxruntime-web/ort-wasm-simd-threaded.asyncify.mjs?url";
import asyncifyWasm from "onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm?url";
import jspiModule from "onnxruntime-web/ort-wasm-simd-threaded.jspi.mjs?url";
import jspiWasm from "onnxruntime-web/ort-wasm-simd-threaded.jspi.wasm?url";
import plainModule from "onnxruntime-web/ort-wasm-simd-threaded.mjs?url";
import plainWasm from "onnxruntime-web/ort-wasm-simd-threaded.wasm?url";
import { PlaygroundError } from "../../base/errors.ts";
import { Graph } from "../graph/ir.ts";
import { neg } from "../graph/ops/elementwise.ts";
import { canShareMemory, defaultThreads, openGpu } from "./device.ts";
import type { OnnxEngine } from "./engine.ts";
import { createOrtEngine, type OrtEngineOptions } from "./ort-engine.ts";
import { messageOf, type Ort } from "./ort.ts";

export interface BrowserEngineOptions extends Pick<OrtEngineOptions, "bufferCache" | "verbose"> {
  /** WASM threads; 1 where the page may not share memory, whatever is asked. */
  readonly threads?: number;
  /** WebGPU: the largest tensor that must fit one binding. */
  readonly needBindingBytes?: number;
}

/**
 * An engine of this browser.
 * @throws PlaygroundError `webgpu-missing` or `webgpu-limits` when a GPU engine was asked for and cannot be had;
 * `worker-failed` naming a file of the runtime that cannot be fetched.
 */
export async function openBrowserEngine(
  kind: "wasm" | "webgpu",
  options: BrowserEngineOptions = {},
): Promise<OnnxEngine> {
  const { threads, needBindingBytes, ...rest } = options;
  if (kind === "webgpu") {
    const gpu = await openGpu(needBindingBytes);
    return createOrtEngine(await loadWebgpu(), kind, { ...rest, threads: 1, gpu });
  }
  const wanted = canShareMemory() ? (threads ?? defaultThreads()) : 1;
  return started(createOrtEngine(await loadWasm(), kind, { ...rest, threads: wanted }));
}

/** The runtime fetches its code for the first session: now, so that a page that has loaded needs no network any more. */
async function started(engine: OnnxEngine): Promise<OnnxEngine> {
  const graph = new Graph("start");
  graph.output("y", neg(graph.input("x", "float32", [1])));
  const session = await engine.compile(graph, { name: "start" });
  await session.dispose();
  return engine;
}

async function loadWasm(): Promise<Ort> {
  return withPaths(await import("onnxruntime-web/wasm"), plainModule, plainWasm);
}

/** The JSPI build is 10 MB smaller than the Asyncify one and holds the same provider. */
async function loadWebgpu(): Promise<Ort> {
  if ("Suspending" in WebAssembly) {
    return withPaths(await import("onnxruntime-web/jspi"), jspiModule, jspiWasm);
  }
  return withPaths(await import("onnxruntime-web/webgpu"), asyncifyModule, asyncifyWasm);
}

async function withPaths(ort: Ort, mjs: string, wasm: string): Promise<Ort> {
  await Promise.all([mjs, wasm].map(checkThere));
  ort.env.wasm.wasmPaths = { mjs, wasm };
  return ort;
}

/** Asked before the runtime does: it would fail for good, until the page is loaded again. */
async function checkThere(file: string): Promise<void> {
  const got = await fetch(file, { method: "HEAD" }).then(
    (response) => (response.ok ? null : `HTTP ${response.status}`),
    (error: unknown) => messageOf(error),
  );
  if (got === null) return;
  throw new PlaygroundError({
    code: "worker-failed",
    where: file,
    expected: "a file of the runtime",
    got,
    next: "Look at the connection and at what stands on the server, then try again.",
  });
}
