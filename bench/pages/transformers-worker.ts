/**
 * The peer of `rollouts` in a browser's worker: transformers.js as its users run it, `generate()` on an ONNX model in the
 * community's form. Called from outside through `bench`.
 */
import { AutoModelForCausalLM, AutoTokenizer, env, Tensor } from "@huggingface/transformers";
import asyncifyModule from "onnxruntime-web/ort-wasm-simd-threaded.asyncify.mjs?url";
import asyncifyWasm from "onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm?url";
import plainModule from "onnxruntime-web/ort-wasm-simd-threaded.mjs?url";
import plainWasm from "onnxruntime-web/ort-wasm-simd-threaded.wasm?url";
import type { RolloutAsk } from "./engine-worker.ts";

export interface TransformersBench {
  /** `asyncify` is the build that transformers.js takes by itself; `plain` the faster one, without WebGPU. */
  open(ask: OpenPeer): Promise<null>;
  generate(ask: GenerateAsk): Promise<{ seconds: number; tokens: number[][] }>;
}

interface OpenPeer {
  /** Its folder on the page's server. */
  readonly model: string;
  readonly runtime: "asyncify" | "plain";
  readonly threads?: number;
  readonly dtype?: "fp32" | "q8";
  /** Loads the tokenizer too. */
  readonly tokenizer?: boolean;
}

export interface GenerateAsk extends RolloutAsk {
  /** 0 = off. */
  readonly topK?: number;
  /** One sequence after the other, instead of all rows of one batch. */
  readonly sequential?: boolean;
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

/** New tokens of so many rows. */
async function batch(
  { prompt, maxTokens, temperature, topK = 0 }: GenerateAsk,
  size: number,
): Promise<number[][]> {
  if (model === null) throw new Error("open first");
  const output = await model.generate({
    inputs: rows(size, prompt),
    attention_mask: rows(size, prompt.map(() => 1)), // prettier-ignore
    max_new_tokens: maxTokens,
    eos_token_id: null,
    do_sample: temperature > 0,
    temperature: temperature > 0 ? temperature : 1,
    top_k: topK,
  } as unknown as Parameters<Model["generate"]>[0]);
  const all = (output as Tensor).tolist() as (bigint | number)[][];
  return all.map((row) => row.slice(prompt.length).map(Number));
}

const bench: TransformersBench = {
  async open({ model: name, runtime, threads = 1, dtype = "fp32", tokenizer = false }) {
    env.allowRemoteModels = false;
    env.allowLocalModels = true;
    env.localModelPath = "/";
    env.useBrowserCache = false;
    env.useWasmCache = false;
    const wasm = env.backends.onnx.wasm;
    if (wasm === undefined) throw new Error("no WASM backend");
    wasm.numThreads = threads;
    wasm.wasmPaths =
      runtime === "plain"
        ? { mjs: plainModule, wasm: plainWasm }
        : { mjs: asyncifyModule, wasm: asyncifyWasm };
    if (tokenizer) await AutoTokenizer.from_pretrained(name);
    model = await AutoModelForCausalLM.from_pretrained(name, { device: "wasm", dtype });
    return null;
  },
  async generate({ sequential = false, ...ask }) {
    const start = performance.now();
    const tokens: number[][] = [];
    const calls = sequential ? ask.groupSize : 1;
    for (let i = 0; i < calls; i++) tokens.push(...(await batch(ask, ask.groupSize / calls)));
    return { seconds: (performance.now() - start) / 1000, tokens };
  },
};

(globalThis as unknown as { bench: TransformersBench }).bench = bench;
