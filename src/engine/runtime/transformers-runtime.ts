/**
 * onnxruntime's files for models that transformers.js runs itself (embeddings). A build gives that library the plain WASM runtime
 * (vite.config.ts), the dev server its own, which needs the Asyncify files.
 */
import asyncifyModule from "onnxruntime-web/ort-wasm-simd-threaded.asyncify.mjs?url";
import asyncifyWasm from "onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm?url";
import plainModule from "onnxruntime-web/ort-wasm-simd-threaded.mjs?url";
import plainWasm from "onnxruntime-web/ort-wasm-simd-threaded.wasm?url";

/** Their addresses, absolute from `base`. */
export function transformersRuntime(
  isDev: boolean,
  base: string,
): { readonly mjs: string; readonly wasm: string } {
  const [mjs, wasm] = isDev ? [asyncifyModule, asyncifyWasm] : [plainModule, plainWasm];
  return { mjs: new URL(mjs, base).href, wasm: new URL(wasm, base).href };
}
