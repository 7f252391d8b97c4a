/**
 * The peer of `rollouts` in a browser's worker: transformers.js as its users run it, `generate()` on an ONNX model in the
 * community's form. Called from outside through `bench`.
 */
import { AutoModelForCausalLM, env, Tensor } from "@huggingface/transformers";
import asyncifyModule from "onnxruntime-web/ort-wasm-simd-threaded.asyncify.mjs?url";
import asyncifyWasm from "onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm?url";
import plainModule from "onnxruntime-web/ort-wasm-simd-threaded.mjs?url";
import plainWasm from "onnxruntime-web/ort-wasm-simd-threaded.wasm?url";
import type { RolloutAsk } from "./engine-worker.ts";

export interface TransformersBench {
  /** `asyncify` is the build that transformers.js takes by itself; `plain` the faster one, without WebGPU. */
  open(ask: { readonly model: string; readonly runtime: "asyncify" | "plain" }): Promise<null>;
  generate(ask: RolloutAsk): Promise<{ seconds: number; tokens: number[][] }>;
}

type Model = Awaited<ReturnType<typeof AutoModelForCausalLM.from_pretrained>>;
let model: Model | null = null;

/** [batch, length] of the same row. */
function rows(batch: number, row: readonly number[]): Tensor {
  const ids = Array.from({ length: batch }, () => row)
    .flat()
    .map(BigInt);
  return new Tensor("int64", BigInt64Array.from(ids), [batch, row.length]);
}

const bench: TransformersBench = {
  async open({ model: name, runtime }) {
    env.allowRemoteModels = false;
    env.allowLocalModels = true;
    env.localModelPath = `${location.origin}/`;
    env.useBrowserCache = false;
    env.useWasmCache = false;
    const wasm = env.backends.onnx.wasm;
    if (wasm === undefined) throw new Error("no WASM backend");
    wasm.numThreads = 1;
    wasm.wasmPaths =
      runtime === "plain"
        ? { mjs: plainModule, wasm: plainWasm }
        : { mjs: asyncifyModule, wasm: asyncifyWasm };
    model = await AutoModelForCausalLM.from_pretrained(name, { device: "wasm", dtype: "fp32" });
    return null;
  },
  async generate({ prompt, groupSize, maxTokens, temperature }) {
    if (model === null) throw new Error("open first");
    const start = performance.now();
    const output = await model.generate({
      inputs: rows(groupSize, prompt),
      attention_mask: rows(groupSize, prompt.map(() => 1)), // prettier-ignore
      max_new_tokens: maxTokens,
      eos_token_id: null,
      do_sample: temperature > 0,
      temperature: temperature > 0 ? temperature : 1,
      top_k: 0,
    } as unknown as Parameters<Model["generate"]>[0]);
    const seconds = (performance.now() - start) / 1000;
    const all = (output as Tensor).tolist() as (bigint | number)[][];
    return { seconds, tokens: all.map((row) => row.slice(prompt.length).map(Number)) };
  },
};

(globalThis as unknown as { bench: TransformersBench }).bench = bench;
