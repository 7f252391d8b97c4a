/**
 * Sentence embeddings by transformers.js, as sentence-transformers makes them: mean over the real tokens, then length 1. Opened in a
 * worker of its own in the page (its build of the library holds models too), and under Node as it is.
 */
import type { PreTrainedTokenizer, Tensor as TensorClass } from "@huggingface/transformers";
import { PlaygroundError } from "../../base/errors.ts";

/** Where the files of all-MiniLM-L6-v2 lie in the hub. */
const HUB_MODEL = "Xenova/all-MiniLM-L6-v2";
/** Of sentence-transformers for this model; what is longer is cut. */
const MOST_TOKENS = 256;
/** Texts computed at once. */
const BATCH = 16;

/** The model's files: a hub's address, a folder's (Node), or files at hand. */
export type EmbedderSource =
  | { readonly kind: "hub"; readonly host: string }
  | { readonly kind: "folder"; readonly parent: string; readonly name: string }
  | { readonly kind: "files"; readonly files: readonly EmbedderFile[] };

export interface EmbedderFile {
  /** With or without its folders. */
  readonly path: string;
  readonly bytes: { arrayBuffer(): Promise<ArrayBuffer> };
}

export interface EmbedderOptions {
  readonly source: EmbedderSource;
  /** Addresses of onnxruntime's files where there is no file system. */
  readonly wasmPaths?: { readonly mjs: string; readonly wasm: string };
  readonly onProgress?: (loadedBytes: number, totalBytes: number) => void;
}

export interface TextEmbedder {
  readonly name: string;
  /** [N][D], each of length 1. */
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>;
  dispose(): Promise<void>;
}

/** @throws PlaygroundError `model-broken` when the files cannot be had or are no such model. */
export async function openEmbedder(options: EmbedderOptions): Promise<TextEmbedder> {
  const { AutoModel, AutoTokenizer, env, mean_pooling, Tensor } = await import("@huggingface/transformers");
  const { source, wasmPaths, onProgress } = options;
  if (wasmPaths !== undefined) Object.assign(env.backends.onnx.wasm ?? {}, { wasmPaths, numThreads: 1 });
  env.allowLocalModels = source.kind === "folder";
  env.allowRemoteModels = source.kind !== "folder";
  if (source.kind === "hub") env.remoteHost = source.host;
  if (source.kind === "folder") env.localModelPath = source.parent;
  if (source.kind === "files") {
    env.useBrowserCache = false;
    env.fetch = (address) => fileAt(source.files, String(address));
  }
  const id = source.kind === "folder" ? source.name : HUB_MODEL;
  try {
    const tokenizer = await AutoTokenizer.from_pretrained(id);
    const model = await AutoModel.from_pretrained(id, {
      dtype: "fp32",
      progress_callback: (info) => {
        if (info.status === "progress" && info.file.endsWith(".onnx")) onProgress?.(info.loaded, info.total);
      },
    });
    const pool = async (ids: readonly (readonly number[])[]): Promise<TensorClass> => {
      const given = paddedInputs(ids, Tensor);
      const { last_hidden_state: hidden } = (await model(given)) as { last_hidden_state: TensorClass }; // [N, T, D]
      return mean_pooling(hidden, given.attention_mask).normalize(2, -1); // [N, D]
    };
    return {
      name: "all-MiniLM-L6-v2",
      embed: (texts) => embedAll(texts, tokenizer, pool),
      dispose: async () => {
        await model.dispose();
      },
    };
  } catch (error) {
    throw new PlaygroundError(
      {
        code: "model-broken",
        where: "all-MiniLM-L6-v2",
        expected: "its config.json, tokenizer.json, tokenizer_config.json and onnx/model.onnx",
        got: error instanceof Error ? error.message : String(error),
        next: "Choose the folder that holds them, or fetch them from a hub.",
      },
      { cause: error },
    );
  }
}

async function embedAll(
  texts: readonly string[],
  tokenizer: PreTrainedTokenizer,
  pool: (ids: readonly (readonly number[])[]) => Promise<TensorClass>,
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (let from = 0; from < texts.length; from += BATCH) {
    const batch = texts.slice(from, from + BATCH).map((text) => idsOf(text, tokenizer));
    const values = (await pool(batch)).data as Float32Array;
    const width = values.length / batch.length;
    vectors.push(...batch.map((_, i) => values.slice(i * width, (i + 1) * width)));
  }
  return vectors;
}

/** The library's own cut drops the mark at the end, which the reference keeps. */
function idsOf(text: string, tokenizer: PreTrainedTokenizer): number[] {
  const ids = tokenizer.encode(text);
  return ids.length <= MOST_TOKENS ? ids : [...ids.slice(0, MOST_TOKENS - 1), ...ids.slice(-1)];
}

/** Three int64 tensors [N, T], padded on the right. */
function paddedInputs(ids: readonly (readonly number[])[], make: typeof TensorClass) {
  const longest = Math.max(...ids.map((row) => row.length));
  const tensor = (valueAt: (row: readonly number[], t: number) => number): TensorClass => {
    const values = ids.flatMap((row) => Array.from({ length: longest }, (_, t) => BigInt(valueAt(row, t))));
    return new make("int64", BigInt64Array.from(values), [ids.length, longest]);
  };
  return {
    input_ids: tensor((row, t) => row[t] ?? 0),
    attention_mask: tensor((row, t) => (t < row.length ? 1 : 0)),
    token_type_ids: tensor(() => 0),
  };
}

/** The file that an address of the hub names: by its path within the model's folder, or by its name alone. */
async function fileAt(files: readonly EmbedderFile[], address: string): Promise<Response> {
  const path = new URL(address).pathname.replace(/^.*\/resolve\/[^/]+\//, "");
  const named = (wanted: string) =>
    files.find((file) => file.path === wanted || file.path.endsWith(`/${wanted}`));
  const file = named(path) ?? named(path.slice(path.lastIndexOf("/") + 1));
  return file === undefined
    ? new Response("", { status: 404 })
    : new Response(await file.bytes.arrayBuffer());
}
