/**
 * What a GGUF file's names and metadata mean for Qwen2, Qwen3 and Llama: tensors by their Hugging Face names, a config.json
 * and a tokenizer.json. Names as in llama.cpp's gguf-py/gguf/constants.py and tensor_mapping.py.
 * Departures from transformers' own GGUF loader: `attention.key_length`, biases, rope scaling and `rope_freqs.weight` are
 * read, `tokenizer.ggml.pre` is obeyed, and mixtures of experts and fused projections are refused by name.
 */
import { storedBytes, isStorage } from "./dequantise.ts";
import { refuseForeignTensors } from "./foreign-tensors.ts";
import type { GgufHeader, GgufTensor } from "./gguf.ts";
import { GgufMetadata, unsupportedGguf } from "./gguf-metadata.ts";
import { readRopeFactors, ROPE_FREQS, ropeConfig } from "./gguf-rope.ts";
import { readGgufTokenizer } from "./gguf-tokenizer.ts";
import type { RangedFile } from "./model-source.ts";
import { brokenWeights, readPieces, type WeightEntry, type WeightFile } from "./weight-file.ts";
import { sizeOf } from "../graph/tensor.ts";

const ARCHITECTURES: readonly string[] = ["llama", "qwen2", "qwen3"];

const TOP_NAMES: Readonly<Record<string, string>> = {
  token_embd: "model.embed_tokens",
  output_norm: "model.norm",
  output: "lm_head",
};
const LAYER_NAMES: Readonly<Record<string, string>> = {
  attn_norm: "input_layernorm",
  attn_q: "self_attn.q_proj",
  attn_k: "self_attn.k_proj",
  attn_v: "self_attn.v_proj",
  attn_output: "self_attn.o_proj",
  attn_q_norm: "self_attn.q_norm",
  attn_k_norm: "self_attn.k_norm",
  ffn_norm: "post_attention_layernorm",
  ffn_gate: "mlp.gate_proj",
  ffn_up: "mlp.up_proj",
  ffn_down: "mlp.down_proj",
};

/** The Hugging Face name of a GGUF tensor; its own name where it is not known. */
function huggingFaceName(name: string): string {
  const [, block, part = "", kind = ""] = /^(?:blk\.(\d+)\.)?([a-z_]+)\.(weight|bias)$/.exec(name) ?? [];
  const known = block === undefined ? TOP_NAMES[part] : LAYER_NAMES[part];
  if (known === undefined) return name;
  return block === undefined ? `${known}.${kind}` : `model.layers.${block}.${known}.${kind}`;
}

export interface GgufModel {
  /** As config.json would have it; `readHfConfig` checks it. */
  readonly config: Readonly<Record<string, unknown>>;
  /** tokenizer.json, as text. */
  readonly tokenizerJson: string;
  /** tokenizer_config.json, as text. */
  readonly tokenizerConfigJson: string;
  readonly weights: WeightFile;
  /** What each rotary frequency is divided by, from `rope_freqs.weight`; undefined: nothing. */
  readonly ropeFactors: readonly number[] | undefined;
}

/** @throws PlaygroundError `model-unsupported`, `model-broken`, `model-fetch-failed`. */
export async function readGgufModel(header: GgufHeader, file: RangedFile, where: string): Promise<GgufModel> {
  const metadata = new GgufMetadata(header, where);
  const architecture = metadata.text("general.architecture") ?? "none";
  if (!ARCHITECTURES.includes(architecture)) {
    throw unsupportedGguf(`${where}: general.architecture`, ARCHITECTURES.join(", "), architecture);
  }
  const experts = metadata.number(`${architecture}.expert_count`) ?? 0;
  if (experts > 0) throw unsupportedGguf(`${where}: ${architecture}.expert_count`, "0", `${experts}`);
  refuseForeignTensors(
    header.tensors.map(({ name }) => name),
    where,
  );
  const window = metadata.number(`${architecture}.attention.sliding_window`) ?? 0;
  if (window > 0 && window < (metadata.number(`${architecture}.context_length`) ?? Infinity))
    throw unsupportedGguf(
      `${where}: ${architecture}.attention.sliding_window`,
      "full attention",
      `${window}`,
    );
  const config = readConfig(metadata, architecture, header, where);
  const { endTokenIds, ...tokenizer } = readGgufTokenizer(metadata, where);
  return {
    config: { ...config, eos_token_id: endTokenIds },
    ropeFactors: await readRopeFactors(header.tensors, file, { where, headDim: config.head_dim ?? NaN }),
    ...tokenizer,
    weights: weightFile(header, file, { where, permuted: architecture === "llama" ? headsOf(config) : null }),
  };
}

function readConfig(metadata: GgufMetadata, architecture: string, { tensors }: GgufHeader, where: string) {
  const own = (key: string): number | undefined => metadata.number(`${architecture}.${key}`);
  const embedding = tensors.find(({ name }) => name === "token_embd.weight");
  const hidden = own("embedding_length");
  const heads = own("attention.head_count");
  const headDim = own("attention.key_length") ?? Math.floor((hidden ?? NaN) / (heads ?? NaN));
  const rope = {
    where,
    number: (key: string) => own(`rope.${key}`),
    text: (key: string) => metadata.text(`${architecture}.rope.${key}`),
  };
  return {
    model_type: architecture,
    hidden_size: hidden,
    num_attention_heads: heads,
    head_dim: Number.isNaN(headDim) ? undefined : headDim, // a missing size is told by its own name
    num_hidden_layers: own("block_count"),
    num_key_value_heads: own("attention.head_count_kv") ?? heads,
    intermediate_size: own("feed_forward_length"),
    vocab_size: embedding?.shape[0],
    max_position_embeddings: own("context_length"),
    rms_norm_eps: own("attention.layer_norm_rms_epsilon"),
    ...ropeConfig(rope, headDim),
    tie_word_embeddings: !tensors.some(({ name }) => name === "output.weight"),
  };
}

interface Heads {
  readonly q: number;
  readonly k: number;
}

function headsOf({ num_attention_heads: q, num_key_value_heads: k }: ReturnType<typeof readConfig>): Heads {
  return { q: q ?? 1, k: k ?? 1 };
}

interface FileOptions {
  readonly where: string;
  /** Heads of the permuted rows; null = none are. */
  readonly permuted: Heads | null;
}

function weightFile({ tensors }: GgufHeader, file: RangedFile, { where, permuted }: FileOptions): WeightFile {
  const entries = new Map<string, WeightEntry>();
  const offsets = new Map<string, number>();
  for (const tensor of tensors) {
    if (tensor.name === ROPE_FREQS) continue; // read with the config
    const entry = entryOf(tensor, permuted, where);
    if (entries.has(entry.name))
      throw brokenWeights(`${where}: ${tensor.name}`, "each tensor once", "it twice");
    if (tensor.offset + entry.sizeBytes > file.sizeBytes) {
      const end = tensor.offset + entry.sizeBytes;
      throw brokenWeights(`${where}: ${tensor.name}`, `bytes up to ${end}`, `a file of ${file.sizeBytes}`);
    }
    entries.set(entry.name, entry);
    offsets.set(entry.name, tensor.offset);
  }
  refuseShared(entries, offsets, where);
  return {
    where,
    entries,
    sizeBytes: file.sizeBytes,
    version: file.version ?? null,
    read: async (name, options) => {
      const [entry, offset] = [entries.get(name), offsets.get(name)];
      if (entry === undefined || offset === undefined) throw brokenWeights(where, `a tensor ${name}`, "none");
      return readPieces(file, { start: offset, end: offset + entry.sizeBytes }, options);
    },
  };
}

/** Two tensors on the same bytes: one of them would be read as what it is not. */
function refuseShared(
  entries: ReadonlyMap<string, WeightEntry>,
  offsets: ReadonlyMap<string, number>,
  where: string,
): void {
  let end = 0;
  for (const [name, offset] of [...offsets].sort(([, a], [, b]) => a - b)) {
    if (offset < end) throw brokenWeights(`${where}: ${name}`, `bytes from ${end} on`, `from ${offset} on`);
    end = offset + (entries.get(name)?.sizeBytes ?? 0);
  }
}

function entryOf({ name, shape, storage }: GgufTensor, permuted: Heads | null, where: string): WeightEntry {
  const known = isStorage(storage) ? storedBytes(storage, sizeOf(shape)) : null;
  if (known === null) {
    throw unsupportedGguf(
      `${where}: ${name}`,
      "F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q5_K or Q6_K in whole blocks",
      `${storage} [${shape.join(", ")}]`,
    );
  }
  const part = /\.attn_(q|k)\./.exec(name)?.[1] as "q" | "k" | undefined;
  const permutedHeads = permuted && part ? permuted[part] : undefined;
  return { name: huggingFaceName(name), shape, storage, sizeBytes: known, permutedHeads };
}
