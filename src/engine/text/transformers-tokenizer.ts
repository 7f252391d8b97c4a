/**
 * The tokenizer of transformers.js: imported when the first one is opened, by name, so that a build leaves the rest of
 * the library out. It is kept from fetching models, and its default CDN address for WASM is taken back.
 */
import { env, PreTrainedTokenizer } from "@huggingface/transformers";
import { withExactSplits } from "./exact-splits.ts";

env.allowRemoteModels = false;
env.allowLocalModels = false;
const wasm = env.backends.onnx.wasm as { wasmPaths?: unknown } | undefined;
if (wasm && JSON.stringify(wasm.wasmPaths ?? "").includes("https://cdn.")) delete wasm.wasmPaths;

/** From the contents of tokenizer.json and tokenizer_config.json. @throws Error of the library for what it cannot build. */
export function buildTokenizer(
  json: Record<string, unknown>,
  config: Record<string, unknown>,
): PreTrainedTokenizer {
  return new PreTrainedTokenizer(withExactSplits(json), config);
}
