/**
 * Reads the oracle numbers under fixtures/models, written by scripts/fixtures/make_model_fixtures.py (its docstring
 * holds the format). Tests under Node only.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defined } from "../base/assert.ts";
import type { HostTensor } from "../engine/graph/tensor.ts";
import type { LoraSettings } from "../engine/nn/lora.ts";
import type { ModelConfig } from "../engine/nn/model-config.ts";
import { readHfConfig } from "../engine/weights/hf-config.ts";
import { type ImportedAdapter, readPeftAdapter } from "../engine/weights/peft-import.ts";
import { parseSafetensors, type SafetensorsEntry, toFloat32 } from "../engine/weights/safetensors.ts";
import type { ModelSource } from "../engine/weights/model-source.ts";
import type { LossConfig, TrainingGroup } from "../training/policy.ts";

export const FIXTURE_MODELS = ["qwen3", "qwen2", "llama"] as const;
export type FixtureModel = (typeof FIXTURE_MODELS)[number];

/** TRL's numbers for one setting of the loss, all rows at once. */
export interface LossCase {
  readonly name: string;
  readonly settings: Omit<LossConfig, "micro_batch_size"> & { readonly epsilon_high: number };
  readonly loss: number;
  /** [P][G][T_i] under the current adapter at the case's temperature. */
  readonly logProbs: readonly (readonly (readonly number[])[])[];
  readonly entropy: number;
  readonly kl: number | null;
  readonly clipRatio: { readonly low: number; readonly high: number; readonly region: number };
  /** d loss / d adapter, in the flat layout. */
  readonly gradient: Float32Array;
}

export interface ModelFixture {
  readonly config: ModelConfig;
  readonly weights: ReadonlyMap<string, HostTensor>;
  /** [2][T]. */
  readonly inputIds: readonly Int32Array[];
  /** [2, T, V] of the base model. */
  readonly logits: HostTensor;
  readonly lora: LoraSettings;
  /** Flat, in loraLayout's order; B is not zero. */
  readonly adapter: Float32Array;
  /** [2, T, V] with the adapter. */
  readonly loraLogits: HostTensor;
  /** P = 2 prompts of lengths 5 and 3, G = 3; log-probs at temperature 1. */
  readonly groups: readonly TrainingGroup[];
  readonly cases: readonly LossCase[];
}

/** torch.optim.AdamW after clip_grad_norm_, five steps of one vector. */
export interface AdamwFixture {
  readonly settings: {
    readonly learningRate: number;
    readonly beta1: number;
    readonly beta2: number;
    readonly epsilon: number;
    readonly weightDecay: number;
    readonly maxGradNorm: number;
  };
  readonly initial: readonly number[];
  readonly gradients: readonly (readonly number[])[];
  readonly steps: readonly {
    readonly gradNorm: number;
    readonly params: readonly number[];
    readonly m: readonly number[];
    readonly v: readonly number[];
  }[];
}

interface OracleJson {
  readonly lora: LoraSettings;
  readonly groups: readonly {
    readonly prompt: readonly number[];
    readonly completions: readonly {
      readonly tokens: readonly number[];
      readonly advantage: number;
      readonly oldLogProbs: readonly number[];
      readonly refLogProbs: readonly number[];
    }[];
  }[];
  readonly cases: readonly Omit<LossCase, "gradient">[];
}

const FOLDER = fileURLToPath(new URL("./fixtures/models/", import.meta.url));

/** A fixture's bytes; `path` is relative to fixtures/models. */
export function readFixture(path: string): Uint8Array {
  return new Uint8Array(readFileSync(FOLDER + path));
}

/** A fixture's JSON, as the type that the script's docstring promises. */
export function readFixtureJson(path: string): unknown {
  return JSON.parse(readFileSync(FOLDER + path, "utf8"));
}

/** A folder as a model source; `replaced` stands in for some of its files, null for "not there". */
export function folderSource(
  folder: string,
  replaced: Readonly<Record<string, Uint8Array | null>> = {},
): ModelSource {
  const read = (path: string): Uint8Array | null => {
    const own = replaced[path];
    if (own !== undefined) return own;
    try {
      return new Uint8Array(readFileSync(`${folder}/${path}`));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error;
    }
  };
  return {
    name: defined(folder.split("/").at(-1), "folder"),
    read: (path, options) => {
      const bytes = read(path);
      if (bytes) options?.onProgress?.(bytes.length, bytes.length);
      return Promise.resolve(bytes);
    },
  };
}

/** The folder of a fixture model or of the fixture tokenizer. */
export function fixtureFolder(name: string): string {
  return FOLDER + name;
}

/** A fixture model's folder as a source. */
export function fixtureSource(
  name: string,
  replaced?: Readonly<Record<string, Uint8Array | null>>,
): ModelSource {
  return folderSource(fixtureFolder(name), replaced);
}

/** One tiny model with everything PyTorch says about it. */
export function readModelFixture(name: FixtureModel): ModelFixture {
  const weights = readTensors(`${name}/model.safetensors`);
  const oracle = parseSafetensors(readFixture(`${name}/oracle.safetensors`), name).entries;
  const tensor = (key: string): HostTensor => toFloat32(defined(oracle.get(key), key), name);
  const flat = (key: string): Float32Array => tensor(key).data as Float32Array;
  const json = readFixtureJson(`${name}/oracle.json`) as OracleJson;
  return {
    config: readHfConfig(readFixtureJson(`${name}/config.json`), null, name).config,
    weights,
    inputIds: intRows(defined(oracle.get("input_ids"), "input_ids")),
    logits: tensor("logits"),
    lora: json.lora,
    adapter: flat("adapter"),
    loraLogits: tensor("lora_logits"),
    groups: json.groups.map(({ prompt, completions }) => ({
      prompt: Int32Array.from(prompt),
      completions: completions.map((row) => ({
        tokens: Int32Array.from(row.tokens),
        advantage: row.advantage,
        oldLogProbs: Float32Array.from(row.oldLogProbs),
        refLogProbs: Float32Array.from(row.refLogProbs),
      })),
    })),
    cases: json.cases.map((item) => ({
      ...item,
      // TRL's own, which the script leaves as they are
      settings: { ...item.settings, delta: null, importance_sampling_level: "token" },
      gradient: flat(`gradient.${item.name}`),
    })),
  };
}

/** An adapter that PEFT made, and what PEFT computes from it. */
export interface ImportedFixture {
  readonly imported: ImportedAdapter;
  readonly inputIds: readonly Int32Array[];
  /** [2, T, V], flat. */
  readonly logits: readonly number[];
  /** [P][G][T_i] of the model fixture's groups, temperature 1. */
  readonly logProbs: readonly (readonly (readonly number[])[])[];
}

/** Written by scripts/fixtures/make_peft_fixtures.py. */
export function readImportedAdapter(name: FixtureModel): ImportedFixture {
  const { config } = readHfConfig(readFixtureJson(`${name}/config.json`), null, name);
  const files = {
    name,
    config: readFixture(`${name}/imported/adapter_config.json`),
    weights: readFixture(`${name}/imported/adapter_model.safetensors`),
  };
  const oracle = readFixtureJson(`${name}/imported/oracle.json`) as {
    readonly inputIds: readonly (readonly number[])[];
  } & Pick<ImportedFixture, "logits" | "logProbs">;
  const inputIds = oracle.inputIds.map((row) => Int32Array.from(row));
  return { ...oracle, inputIds, imported: readPeftAdapter(files, config) };
}

/** A safetensors fixture as float32 tensors by name. */
export function readTensors(path: string): Map<string, HostTensor> {
  const { entries } = parseSafetensors(readFixture(path), path);
  return new Map([...entries].map(([name, entry]) => [name, toFloat32(entry, path)]));
}

/** PyTorch's AdamW: without and with weight decay. */
export function readAdamwFixtures(): readonly AdamwFixture[] {
  return readFixtureJson("adamw.json") as readonly AdamwFixture[];
}

function intRows({ shape, bytes }: SafetensorsEntry): Int32Array[] {
  const [rows = 0, columns = 0] = shape;
  const all = new Int32Array(bytes.slice().buffer);
  return Array.from({ length: rows }, (_, row) => all.slice(row * columns, (row + 1) * columns));
}
