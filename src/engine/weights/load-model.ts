/**
 * Loads a model of Hugging Face's files or one GGUF file: config, weights as float32 or matrices in blocks, end tokens and the
 * tokenizer's files.
 * Everything that Hugging Face libraries pass over in silence (missing, unknown, misshapen or NaN tensors, a head that
 * contradicts `tie_word_embeddings`, a tokenizer larger than the embedding) is refused with the tensor's name. Weights are read
 * tensor by tensor: a source that can read parts of files is never held whole.
 */
import { defined } from "../../base/assert.ts";
import { PlaygroundError } from "../../base/errors.ts";
import { type ModelConfig, weightSpecs } from "../nn/model-config.ts";
import { isBlockTensor, type WeightTensor } from "../graph/block-tensor.ts";
import { refuseForeignTensors } from "./foreign-tensors.ts";
import { readGgufHeader } from "./gguf.ts";
import { readGgufModel } from "./gguf-model.ts";
import { type HfModel, readHfConfig } from "./hf-config.ts";
import { type ModelSource, openFile, type ReadOptions } from "./model-source.ts";
import { INDEX_FILE, openSafetensors, openSharded, SINGLE_FILE } from "./safetensors-file.ts";
import { STORAGE_BITS, storedWeight, type WeightStorage } from "./stored-weight.ts";
import type { WeightFile } from "./weight-file.ts";

/** The path under which progress of weights is told, whatever their files. */
const WEIGHTS = SINGLE_FILE;
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
  /** By Hugging Face name, exactly those of `weightSpecs(config)`; matrices as the storage asks, vectors float32. */
  readonly weights: ReadonlyMap<string, WeightTensor>;
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

/** Sees a model while it is read. */
export interface TensorSink {
  /** Takes a tensor that was read and checked, before the next one is read. */
  readonly keep: (name: string, tensor: WeightTensor) => Promise<void>;
  /** Reading ended within a tensor: its first bytes, as the file has them. */
  readonly onCut?: (name: string, bytes: Uint8Array) => void;
}

/** What an earlier loading left. */
export interface Begun {
  readonly tensors: ReadonlyMap<string, WeightTensor>;
  /** The first bytes of the tensor in which it ended, as the file has them. */
  readonly cut: { readonly name: string; readonly bytes: Uint8Array } | null;
}
const NOTHING: Begun = { tensors: new Map(), cut: null };

/** A model whose weights have not been read yet. */
export interface OpenedModel extends Omit<LoadedModel, "weights"> {
  /** Tells the files of the weights from other versions of them; null = they cannot be told apart. */
  readonly files: string | null;
  /**
   * Reads and checks every tensor, in the order of the file's bytes; `sink` sees each as it comes, in its storage ("f32" unless
   * said otherwise). Those of `begun` are not read again, nor seen by `sink`.
   * @throws PlaygroundError `model-broken`, `model-fetch-failed`, `aborted`.
   */
  readonly readWeights: (
    sink?: TensorSink,
    storage?: WeightStorage,
    begun?: Begun,
  ) => Promise<ReadonlyMap<string, WeightTensor>>;
}

/**
 * Reads and checks a whole model. "q8" and "q4" hold every matrix in blocks (block-tensor.ts), made tensor by tensor: the float
 * model is never whole in memory.
 * @throws PlaygroundError `model-unsupported`, `model-broken`, `model-fetch-failed`, `aborted`.
 */
export async function loadModel(
  source: ModelSource,
  signal?: AbortSignal,
  onProgress?: (progress: LoadProgress) => void,
  storage: WeightStorage = "f32",
): Promise<LoadedModel> {
  const { readWeights, ...model } = await openModelFiles(source, signal, onProgress);
  return { ...model, weights: await readWeights(undefined, storage) };
}

/**
 * Reads and checks everything but the weights, of which only names, shapes and forms are looked at.
 * @throws PlaygroundError as `loadModel`.
 */
export async function openModelFiles(
  source: ModelSource,
  signal?: AbortSignal,
  onProgress?: (progress: LoadProgress) => void,
): Promise<OpenedModel> {
  const optionsFor = (path: string): ReadOptions => ({
    signal,
    onProgress: (loadedBytes, totalBytes) => onProgress?.({ path, loadedBytes, totalBytes }),
  });
  const read = (path: string): Promise<Uint8Array | null> => source.read(path, optionsFor(path));
  const gguf = await findGguf(source);
  const files =
    gguf === null ? await readHuggingFace(source, read) : await readGguf(source, gguf, { read, signal });
  const { config, endTokenIds, tokenizerFiles } = files;
  const { name } = source;
  if (tokenizerFiles.tokenizerJson !== null) {
    checkVocabulary(tokenizerFiles.tokenizerJson, config.vocabSize, `${name}/tokenizer.json`);
  }
  const file = files.weights ?? (await openWeights(source, read, optionsFor));
  checkTensors(file.entries, config, file.where);
  // a file that was read whole has told its bytes already
  const told = source.open !== undefined || gguf !== null ? onProgress : undefined;
  const readWeights: OpenedModel["readWeights"] = (sink, storage = "f32", begun = NOTHING) =>
    readTensors(file, config, { signal, onProgress: told, sink, storage, begun });
  const { sizeBytes, version } = file;
  return { name, config, endTokenIds, tokenizerFiles, sizeBytes, files: version, readWeights };
}

interface ModelFiles extends HfModel {
  readonly tokenizerFiles: TokenizerFiles;
  /** Where the weights come with the rest. */
  readonly weights: WeightFile | null;
}

type Read = (path: string) => Promise<Uint8Array | null>;

/** The one GGUF file of a source that can list its files; null where they are Hugging Face's. */
async function findGguf(source: ModelSource): Promise<string | null> {
  const paths = (await source.list?.()) ?? [];
  if (paths.includes("config.json") && paths.some((path) => path.endsWith(".safetensors"))) return null;
  const files = paths.filter((path) => path.toLowerCase().endsWith(".gguf"));
  if (files.length > 1) throw broken(source.name, "one GGUF file", list(files));
  return files[0] ?? null;
}

async function readGguf(
  source: ModelSource,
  path: string,
  { read, signal }: { readonly read: Read; readonly signal: AbortSignal | undefined },
): Promise<ModelFiles> {
  const where = `${source.name}/${path}`;
  const file = await openFile(source, path, { signal });
  if (file === null) throw broken(source.name, `a file ${path}`, "none");
  const { config, weights, ropeFactors, ...tokenizer } = await readGgufModel(
    await readGgufHeader(file, where, { signal }),
    file,
    where,
  );
  const model = readHfConfig(config, null, where);
  return {
    ...model,
    config: ropeFactors ? { ...model.config, ropeFrequencyFactors: ropeFactors } : model.config,
    tokenizerFiles: (await tokenizerBeside(source, read)) ?? { ...tokenizer, chatTemplate: null },
    weights,
  };
}

/** The files that lie beside a GGUF file and need nothing of its metadata: a tokenizer and a chat template. */
async function tokenizerBeside(source: ModelSource, read: Read): Promise<TokenizerFiles | null> {
  const paths = (await source.list?.()) ?? [];
  if (!paths.includes("tokenizer.json")) return null;
  const files = await readTokenizerFiles((path) =>
    paths.includes(path) ? read(path) : Promise.resolve(null),
  );
  const template = files.chatTemplate ?? /"chat_template"\s*:/.exec(files.tokenizerConfigJson ?? "");
  return template === null ? null : files;
}

async function readHuggingFace({ name }: ModelSource, read: Read): Promise<ModelFiles> {
  const configJson = required(await read("config.json"), name, "config.json");
  const generation = await read("generation_config.json");
  const model = readHfConfig(
    parseJson(configJson, `${name}/config.json`),
    generation && parseJson(generation, `${name}/generation_config.json`),
    name,
  );
  return { ...model, tokenizerFiles: await readTokenizerFiles(read), weights: null };
}

async function openWeights(
  source: ModelSource,
  read: Read,
  optionsFor: (path: string) => ReadOptions,
): Promise<WeightFile> {
  const options = optionsFor(SINGLE_FILE);
  const file = await openFile(source, SINGLE_FILE, source.open ? { signal: options.signal } : options);
  if (file !== null) return openSafetensors(file, `${source.name}/${SINGLE_FILE}`);
  const index = required(await read(INDEX_FILE), source.name, `${SINGLE_FILE} or ${INDEX_FILE}`);
  return openSharded(source, parseJson(index, `${source.name}/${INDEX_FILE}`));
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

interface ReadTensorsOptions {
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((progress: LoadProgress) => void) | undefined;
  readonly sink: TensorSink | undefined;
  readonly storage: WeightStorage;
  readonly begun: Begun;
}

/** In the order of the file's bytes, so that a download is one stream whose hash can be told; by name in that of `weightSpecs`. */
async function readTensors(
  file: WeightFile,
  config: ModelConfig,
  { signal, onProgress, sink, storage, begun }: ReadTensorsOptions,
): Promise<Map<string, WeightTensor>> {
  const specs = weightSpecs(config);
  const totalBytes = specs.reduce((sum, { name }) => sum + (file.entries.get(name)?.sizeBytes ?? 0), 0);
  let loadedBytes = 0;
  const read = async (name: string): Promise<WeightTensor> => {
    if (signal?.aborted === true) throw aborted(file.where);
    const entry = defined(file.entries.get(name), name);
    const bytes = await file.read(name, {
      signal,
      begun: begun.cut?.name === name ? begun.cut.bytes : undefined,
      onCut: (came) => sink?.onCut?.(name, came),
      // an embedding alone may be a quarter of the file
      onProgress: (part) => {
        onProgress?.({ path: WEIGHTS, loadedBytes: Math.min(totalBytes, loadedBytes + part), totalBytes });
      },
    });
    const tensor = storedWeight(entry, bytes, file.where, STORAGE_BITS[storage]);
    loadedBytes += bytes.length;
    onProgress?.({ path: WEIGHTS, loadedBytes, totalBytes });
    return tensor;
  };
  const tensors = new Map<string, WeightTensor>();
  for (const [name, { sizeBytes }] of file.entries) {
    const before = begun.tensors.get(name);
    const tensor = before ?? (await read(name));
    tensors.set(name, tensor);
    if (before !== undefined) loadedBytes += sizeBytes;
    else if (name !== HEAD || !config.tieWordEmbeddings) await sink?.keep(name, tensor);
  }
  const weight = (name: string): WeightTensor => defined(tensors.get(name), name);
  if (config.tieWordEmbeddings && file.entries.has(HEAD)) {
    checkTiedHead(weight(HEAD), weight(EMBEDDING), file.where);
  }
  return new Map(specs.map(({ name }) => [name, weight(name)]));
}

/** The file's names and shapes against the architecture's, before anything is converted. */
function checkTensors(entries: WeightFile["entries"], config: ModelConfig, where: string): void {
  refuseForeignTensors(entries.keys(), where);
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
function checkTiedHead(head: WeightTensor, embedding: WeightTensor, where: string): void {
  const differs =
    head.dims.join() !== embedding.dims.join() ||
    head.data.some((value, i) => value !== embedding.data[i]) ||
    (isBlockTensor(head) &&
      isBlockTensor(embedding) &&
      head.scales.some((scale, i) => scale !== embedding.scales[i]));
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

function aborted(where: string): PlaygroundError {
  return new PlaygroundError({
    code: "aborted",
    where,
    expected: "the whole model",
    got: "a stop",
    next: "Load again when wanted.",
  });
}
