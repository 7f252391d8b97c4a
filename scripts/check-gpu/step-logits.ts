/** What one engine computes of a model at whatever size: the logits after a prompt and after one more token, and one layer's gradient. */
import { createRng } from "../../src/base/rng.ts";
import { float32, type HostTensor, int32 } from "../../src/engine/graph/tensor.ts";
import { blockBitsOf } from "../../src/engine/nn/base-matrix.ts";
import { layerBackwardGraph, layerLora, layerWeightNames } from "../../src/engine/nn/layered-graphs.ts";
import { loraLayout, type LoraSettings } from "../../src/engine/nn/lora.ts";
import { decodeStepGraph, prefillGraph } from "../../src/engine/nn/rollout-graphs.ts";
import { updateRows } from "../../src/engine/nn/update-graphs.ts";
import {
  LARGEST_BLOCK_TABLE_BYTES,
  LARGEST_TABLE_BYTES,
  tableChunkRows,
} from "../../src/engine/nn/vocabulary-table.ts";
import type { Engine } from "../../src/engine/runtime/engine.ts";
import { compiledGraphs } from "../../src/training/model-policy/compiled-graphs.ts";
import type { PolicyModel } from "../../src/training/model-policy/create.ts";
import { packUpdate } from "../../src/training/model-policy/pack-update.ts";
import { promptFeeds } from "../../src/training/model-policy/rollout-rows.ts";

/** A model with an adapter, as graphs take it. */
export interface StepCase {
  readonly model: PolicyModel;
  readonly lora: LoraSettings;
  readonly adapter: Float32Array;
  readonly prompt: Int32Array;
  /** Longest prompt and answer. */
  readonly positions: number;
}

type Tensors = Readonly<Record<string, HostTensor>>;

function graphModel({ model: { config, weights }, lora, positions: maxPositions }: StepCase) {
  const blockBits = blockBitsOf(weights);
  const largest = blockBits === null ? LARGEST_TABLE_BYTES : LARGEST_BLOCK_TABLE_BYTES;
  const chunkRows = tableChunkRows(config, largest);
  return { config, lora: loraLayout(config, lora), maxPositions, tableChunkRows: chunkRows, blockBits };
}

/** Logits [V] after the prompt, and after its first token has come once more by a decoding step with the prompt's cache. */
export async function stepLogits(
  engine: Engine,
  given: StepCase,
): Promise<{ readonly prompt: Float32Array; readonly step: Float32Array }> {
  const { model, prompt, positions, adapter } = given;
  const { layers, kvHeads, headDim, vocabSize } = model.config;
  const graphs = compiledGraphs(engine, model.weights);
  const own = graphModel(given);
  const empty = float32([1, kvHeads, positions, headDim], new Float32Array(kvHeads * positions * headDim));
  const names = Array.from({ length: layers }, (_, l) => [`key.${l}`, `value.${l}`]).flat();
  const lora = float32([adapter.length], adapter);
  const prefill = await graphs.get("prefill", () => prefillGraph(own, positions));
  const first = (await prefill.run({
    ...promptFeeds(prompt),
    ...Object.fromEntries(names.map((name) => [name, empty])),
    lora,
  })) as Tensors;
  const sampler = { batch: 1, vocabSize, topK: 0, topP: 1, greedy: true, endTokenIds: [-1] };
  const step = await graphs.get("step", () => decodeStepGraph(own, sampler, positions));
  const chosen = new Float32Array(vocabSize); // the greedy token, whatever the engine's last bit
  chosen[prompt[0] ?? 0] = 1;
  const caches = names.map((name) => [name, first[name.replace(/^./, (c) => `next${c.toUpperCase()}`)]]);
  const second = (await step.run({
    ...(Object.fromEntries(caches) as Tensors),
    logits: float32([1, vocabSize], chosen),
    uniform: float32([1], Float32Array.of(0.5)),
    inverseTemperature: float32([1], Float32Array.of(1)),
    positions: { dtype: "int64", dims: [1, 1], data: BigInt64Array.of(BigInt(prompt.length)) },
    seqLensK: int32([1], Int32Array.of(prompt.length)),
    totalLength: int32([1], Int32Array.of(prompt.length + 1)),
    lora,
  })) as Tensors;
  await graphs.dispose();
  return { prompt: numbers(first, "nextLogits"), step: numbers(second, "nextLogits") };
}

/** d / d lora and d / d rows of the first layer, for rows and a cotangent of noise, as an update of two answers computes them. */
export async function layerGradient(engine: Engine, given: StepCase): Promise<Float32Array> {
  const { model, prompt, adapter } = given;
  const graphs = compiledGraphs(engine, model.weights);
  const own = graphModel(given);
  const completions = [prompt.slice(0, 6), prompt.slice(1, 5)];
  const { shape, feeds } = packUpdate([{ prompt, completions }]);
  const graph = await graphs.get("layer", () => layerBackwardGraph(own, shape), { weights: "inputs" });
  const rng = createRng(8, "gpu check", "layer");
  const dims = [updateRows(shape), model.config.hiddenSize];
  const noise = (scale: number): HostTensor =>
    float32(
      dims,
      Float32Array.from({ length: (dims[0] ?? 0) * (dims[1] ?? 0) }, () => scale * rng.normal()),
    );
  const { size } = layerLora(own);
  const names = layerWeightNames(own);
  const out = (await graph.run({
    ...feeds,
    ...Object.fromEntries(names.map(({ input, at }) => [input, graphs.weight(at(0))])),
    rows: noise(1),
    cotangent: noise(0.01),
    lora: float32([size], adapter.subarray(0, size)),
  })) as Tensors;
  await graphs.dispose();
  return Float32Array.from([...numbers(out, "gradient"), ...numbers(out, "previous")]);
}

const numbers = (out: Tensors, name: string): Float32Array => out[name]?.data as Float32Array;
