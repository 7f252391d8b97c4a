/**
 * Writes a model of random weights as Hugging Face keeps one: config, safetensors in BF16 (one file or shards with an index), and
 * the bundled model's tokenizer, filled up with made words to the size of the vocabulary. The same seed gives the same
 * bytes. Streamed: no more than a piece of one tensor is in memory.
 */
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createRng } from "../../src/base/rng.ts";
import { type WeightSpec, weightSpecs } from "../../src/engine/nn/model-config.ts";
import { readHfConfig } from "../../src/engine/weights/hf-config.ts";
import { type ModelCut, type ModelShape, shapeConfig } from "./model-shapes.ts";

const TOKENIZER = join(import.meta.dirname, "../../models/playground-qwen3-1m");
/** Values drawn beforehand; every weight is one of them. */
const DRAWN = 1 << 16;
const PIECE_VALUES = 1 << 20;

export interface RandomModelOptions {
  readonly shape: ModelShape;
  readonly folder: string;
  readonly seed: number;
  /** Files of weights; 1 = model.safetensors. */
  readonly shards: number;
  /** In place of the shape's own. */
  readonly cut?: ModelCut;
}

/** Bytes of the weights. */
export function writeRandomModel({ shape, folder, seed, shards, cut }: RandomModelOptions): number {
  const configJson = shapeConfig(shape, cut);
  const { config } = readHfConfig(configJson, null, shape);
  mkdirSync(folder, { recursive: true });
  const json = (path: string, value: unknown): void => {
    writeFileSync(join(folder, path), `${JSON.stringify(value, null, 2)}\n`);
  };
  json("config.json", configJson);
  json("generation_config.json", { eos_token_id: 2, pad_token_id: 0 });
  writeTokenizer(folder, configJson.vocab_size);
  const write = bf16Writer(seed, configJson.initializer_range);
  const specs = weightSpecs(config);
  if (shards === 1) return writeFile(join(folder, "model.safetensors"), specs, write);
  const parts = shared(specs, shards);
  const nameOf = (index: number): string =>
    `model-${String(index + 1).padStart(5, "0")}-of-${String(parts.length).padStart(5, "0")}.safetensors`;
  const sizes = parts.map((part, index) => writeFile(join(folder, nameOf(index)), part, write));
  const total_size = sizes.reduce((sum, size) => sum + size, 0);
  json("model.safetensors.index.json", {
    metadata: { total_size },
    weight_map: Object.fromEntries(
      parts.flatMap((part, index) => part.map(({ name }) => [name, nameOf(index)])),
    ),
  });
  return total_size;
}

const valuesOf = ({ shape }: WeightSpec): number => shape.reduce((product, size) => product * size, 1);

/** Neighbours into as many parts of about the same number of values. */
function shared(specs: readonly WeightSpec[], shards: number): WeightSpec[][] {
  const total = specs.reduce((sum, spec) => sum + valuesOf(spec), 0);
  const parts: WeightSpec[][] = Array.from({ length: shards }, () => []);
  let before = 0;
  for (const spec of specs) {
    parts[Math.min(shards - 1, Math.floor((before / total) * shards))]?.push(spec);
    before += valuesOf(spec);
  }
  return parts.filter((part) => part.length > 0);
}

type WriteTensor = (file: number, spec: WeightSpec) => void;

function writeFile(place: string, specs: readonly WeightSpec[], write: WriteTensor): number {
  let end = 0;
  const header: Record<string, unknown> = { __metadata__: { format: "pt" } };
  for (const spec of specs) {
    const start = end;
    end += 2 * valuesOf(spec);
    header[spec.name] = { dtype: "BF16", shape: spec.shape, data_offsets: [start, end] };
  }
  const text = JSON.stringify(header);
  const padded = Buffer.from(text.padEnd(Math.ceil(text.length / 8) * 8));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(padded.length));
  const file = openSync(place, "w");
  writeSync(file, length);
  writeSync(file, padded);
  for (const spec of specs) write(file, spec);
  closeSync(file);
  return end;
}

/** Norms are 1 and biases 0 as in a fresh model; the rest is normal with the config's initializer_range. */
function bf16Writer(seed: number, deviation: number): WriteTensor {
  const rng = createRng(seed, "random model");
  const drawn = Uint16Array.from({ length: DRAWN }, () => toBf16(deviation * rng.normal()));
  const piece = new Uint16Array(PIECE_VALUES);
  const constant = (name: string): number | null => {
    if (name.includes("norm")) return toBf16(1);
    return name.endsWith("bias") ? 0 : null;
  };
  return (file, spec) => {
    const same = constant(spec.name);
    for (let left = valuesOf(spec); left > 0; left -= PIECE_VALUES) {
      const part = piece.subarray(0, Math.min(left, PIECE_VALUES));
      if (same === null) for (let i = 0; i < part.length; i++) part[i] = drawn[(rng.next() * DRAWN) | 0] ?? 0;
      else part.fill(same);
      writeSync(file, new Uint8Array(part.buffer, 0, part.byteLength));
    }
  };
}

/** Rounded to nearest, ties to even, as PyTorch does. */
function toBf16(value: number): number {
  const bits = new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0;
  return (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16;
}

interface TokenizerJson {
  readonly model: { readonly vocab: Record<string, number> };
}

/** Every id of the vocabulary has a text: a random model samples all of them. */
function writeTokenizer(folder: string, vocabSize: number): void {
  const tokenizer = JSON.parse(readFileSync(join(TOKENIZER, "tokenizer.json"), "utf8")) as TokenizerJson;
  const { vocab } = tokenizer.model;
  for (let id = Object.keys(vocab).length; id < vocabSize; id++) vocab[`Ġw${id}`] = id;
  writeFileSync(join(folder, "tokenizer.json"), JSON.stringify(tokenizer));
  writeFileSync(
    join(folder, "tokenizer_config.json"),
    readFileSync(join(TOKENIZER, "tokenizer_config.json")),
  );
}
