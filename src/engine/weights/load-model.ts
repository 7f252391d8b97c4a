/**
 * Loads a Hugging Face model: config, weights as float32, end tokens and the tokenizer's files. Everything that Hugging Face
 * libraries pass over in silence (missing, unknown, misshapen or NaN tensors, a head that contradicts `tie_word_embeddings`, a
 * tokenizer larger than the embedding) is refused with the tensor's name. One model.safetensors; shards are not read.
 */
import { defined } from "../../base/assert.ts";
import { PlaygroundError } from "../../base/errors.ts";
import type { HostTensor } from "../graph/tensor.ts";
import { type ModelConfig, weightSpecs } from "../nn/model-config.ts";
import { readHfConfig } from "./hf-config.ts";
import type { ModelSource } from "./model-source.ts";
import { parseSafetensors, type SafetensorsEntry, toFloat32 } from "./safetensors.ts";

const WEIGHTS = "model.safetensors";
const EMBEDDING = "model.embed_tokens.weight";
const HEAD = "lm_head.weight";
/** Tensors named in one message. */
const NAMED = 5;

/** The tokenizer's files as text, null where the model has none; engine/text turns them into a codec. */
export interface TokenizerFiles {
  readonly tokenizerJson: string | null;
  readonly tokenizerConfigJson: string | null;
  /** chat_template.jinja, which wins over the template in tokenizer_config.json. */
  readonly chatTemplate: string | null;
}

export interface LoadedModel {
  readonly name: string;
  readonly config: ModelConfig;
  /** By Hugging Face name, exactly those of `weightSpecs(config)`; float32. */
  readonly weights: ReadonlyMap<string, HostTensor>;
  readonly endTokenIds: readonly number[];
  readonly tokenizerFiles: TokenizerFiles;
  /** Bytes of the weights file. */
  readonly sizeBytes: number;
}

/** Bytes of the file being read. */
export interface LoadProgress {
  readonly path: string;
  readonly loadedBytes: number;
  readonly totalBytes: number | null;
}

/**
 * Reads and checks a whole model.
 * @throws PlaygroundError `model-unsupported`, `model-broken`, `model-fetch-failed`, `aborted`.
 */
export async function loadModel(
  source: ModelSource,
  signal?: AbortSignal,
  onProgress?: (progress: LoadProgress) => void,
): Promise<LoadedModel> {
  const read = (path: string): Promise<Uint8Array | null> =>
    source.read(path, {
      signal,
      onProgress: (loadedBytes, totalBytes) => onProgress?.({ path, loadedBytes, totalBytes }),
    });
  const { name } = source;
  const configJson = required(await read("config.json"), name, "config.json");
  const generation = await read("generation_config.json");
  const { config, endTokenIds } = readHfConfig(
    parseJson(configJson, `${name}/config.json`),
    generation && parseJson(generation, `${name}/generation_config.json`),
    name,
  );
  const tokenizerFiles = await readTokenizerFiles(read);
  if (tokenizerFiles.tokenizerJson !== null) {
    checkVocabulary(tokenizerFiles.tokenizerJson, config.vocabSize, `${name}/tokenizer.json`);
  }
  const file = await read(WEIGHTS);
  if (file === null && (await read(`${WEIGHTS}.index.json`)) !== null) throw sharded(name);
  const bytes = required(file, name, WEIGHTS);
  const weights = readWeights(bytes, config, `${name}/${WEIGHTS}`, signal);
  return { name, config, weights, endTokenIds, tokenizerFiles, sizeBytes: bytes.length };
}

async function readTokenizerFiles(
  read: (path: string) => Promise<Uint8Array | null>,
): Promise<TokenizerFiles> {
  const text = async (path: string): Promise<string | null> => {
    const bytes = await read(path);
    return bytes && new TextDecoder().decode(bytes);
  };
  return {
    tokenizerJson: await text("tokenizer.json"),
    tokenizerConfigJson: await text("tokenizer_config.json"),
    chatTemplate: await text("chat_template.jinja"),
  };
}

function readWeights(
  bytes: Uint8Array,
  config: ModelConfig,
  where: string,
  signal: AbortSignal | undefined,
): Map<string, HostTensor> {
  const { entries } = parseSafetensors(bytes, where);
  checkTensors(entries, config, where);
  const weights = new Map<string, HostTensor>();
  for (const { name } of weightSpecs(config)) {
    if (signal?.aborted === true) throw aborted(where);
    weights.set(name, toFloat32(defined(entries.get(name), name), where));
  }
  const head = config.tieWordEmbeddings ? entries.get(HEAD) : undefined;
  if (head) checkTiedHead(toFloat32(head, where), defined(weights.get(EMBEDDING), EMBEDDING), where);
  return weights;
}

/** The file's names and shapes against the architecture's, before anything is converted. */
function checkTensors(
  entries: ReadonlyMap<string, SafetensorsEntry>,
  config: ModelConfig,
  where: string,
): void {
  const specs = weightSpecs(config);
  const missing = specs.filter(({ name }) => !entries.has(name)).map(({ name }) => name);
  if (missing.length > 0) {
    const hint = missing.includes(HEAD) ? " (tie_word_embeddings is false, so the head must be there)" : "";
    throw broken(where, `the tensors ${list(missing)}${hint}`, "a file without them");
  }
  const known = new Set(specs.map(({ name }) => name));
  // A tied head may be stored beside the embedding; its values are compared later.
  if (config.tieWordEmbeddings) known.add(HEAD);
  const unknown = [...entries.keys()].filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw broken(where, `only the tensors of a ${config.architecture} model`, `also ${list(unknown)}`);
  }
  for (const { name, shape } of specs) {
    const got = defined(entries.get(name), name).shape;
    if (got.join() !== shape.join()) {
      throw broken(`${where}: ${name}`, `[${shape.join(", ")}] by config.json`, `[${got.join(", ")}]`);
    }
  }
}

/** transformers would use the file's head in silence; a config that says "tied" beside another head is a contradiction. */
function checkTiedHead(head: HostTensor, embedding: HostTensor, where: string): void {
  const differs =
    head.dims.join() !== embedding.dims.join() || head.data.some((value, i) => value !== embedding.data[i]);
  if (differs) {
    throw broken(
      `${where}: ${HEAD}`,
      `the values of ${EMBEDDING}, since tie_word_embeddings is true`,
      "a head of its own",
    );
  }
}

/** A token above the embedding's rows would read past its end. */
function checkVocabulary(tokenizerJson: string, vocabSize: number, where: string): void {
  const parsed = parseJson(new TextEncoder().encode(tokenizerJson), where);
  const largest = Math.max(-1, ...tokenIds(parsed));
  if (largest >= vocabSize) {
    throw broken(where, `ids below vocab_size ${vocabSize}`, `a token with id ${largest}`);
  }
}

/** Ids named by a tokenizer.json; the shape of the rest is the tokenizer's business. */
function* tokenIds(tokenizer: unknown): Generator<number> {
  const { model, added_tokens } = (tokenizer ?? {}) as {
    model?: { vocab?: unknown };
    added_tokens?: unknown;
  };
  const vocab = model?.vocab;
  if (Array.isArray(vocab)) yield vocab.length - 1;
  else if (typeof vocab === "object" && vocab !== null) yield maxOf(Object.values(vocab));
  if (Array.isArray(added_tokens))
    yield maxOf(added_tokens.map((token: { id?: unknown } | null) => token?.id));
}

function maxOf(values: readonly unknown[]): number {
  let max = -1;
  for (const value of values) if (typeof value === "number" && value > max) max = value;
  return max;
}

function parseJson(bytes: Uint8Array, where: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw broken(where, "JSON", cause instanceof Error ? cause.message : String(cause));
  }
}

function required(bytes: Uint8Array | null, name: string, path: string): Uint8Array {
  if (bytes === null) throw broken(name, `a file ${path}`, "none");
  return bytes;
}

function list(names: readonly string[]): string {
  const rest = names.length - NAMED;
  return names.slice(0, NAMED).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

function broken(where: string, expected: string, got: string): PlaygroundError {
  return new PlaygroundError({
    code: "model-broken",
    where,
    expected,
    got,
    next: "Use the files as transformers saves them, or download them again.",
  });
}

function sharded(name: string): PlaygroundError {
  return new PlaygroundError({
    code: "model-unsupported",
    where: name,
    expected: `one ${WEIGHTS}`,
    got: "weights in several files",
    next: "Save the model with a larger max_shard_size.",
  });
}

function aborted(where: string): PlaygroundError {
  return new PlaygroundError({
    code: "aborted",
    where,
    expected: "the whole model",
    got: "a stop",
    next: "Load again when wanted.",
  });
}
