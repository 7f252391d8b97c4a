/**
 * Rollouts as graphs. The prompt runs once, at batch 1. Then tokens are sampled either by a Loop that draws a whole
 * chunk in one run with the cache growing (fastest on the WASM and CPU execution providers), or step by step with
 * caches of fixed length that stay in GPU memory and are updated in place (WebGPU). Both sample first, then advance.
 */
import { defined } from "../../base/assert.ts";
import { type Dim, Graph, type Value } from "../graph/ir.ts";
import { loop } from "../graph/ops/control.ts";
import { add, maximum, neg } from "../graph/ops/elementwise.ts";
import { gather } from "../graph/ops/gather.ts";
import { cast, equal, less } from "../graph/ops/logic.ts";
import { reduceMax } from "../graph/ops/reduce.ts";
import { expand, reshape } from "../graph/ops/shape.ts";
import { cachedAttention, type LayerCache } from "./attention.ts";
import {
  decode,
  type Decoder,
  type DecoderWeights,
  declareWeights,
  embed,
  headLogits,
  ropeConstants,
  type WeightForm,
} from "./decoder.ts";
import { type LoraLayout, type LoraValues, loraValues } from "./lora.ts";
import { isTable, type ModelConfig, weightSpecs } from "./model-config.ts";
import { type Sampled, sampleTokens, type SamplerOptions } from "./sampler.ts";

export interface RolloutModel extends WeightForm {
  readonly config: ModelConfig;
  /** The graphs take the flat adapter as input `lora`; all zeros is the base model. null = it is merged into the weights. */
  readonly lora: LoraLayout | null;
  /** Longest prompt plus completion. */
  readonly maxPositions: number;
}

export interface DecodeOptions extends SamplerOptions {
  /** Ids after which a row is finished. */
  readonly endTokenIds: readonly number[];
}

/** What every decoding graph of a model shares. */
interface Parts extends DecoderWeights {
  readonly graph: Graph;
  readonly config: ModelConfig;
  readonly lora: LoraValues | null;
  readonly cos: Value;
  readonly sin: Value;
}

function partsOf(graph: Graph, model: RolloutModel): Parts {
  const { config } = model;
  const weights = declareWeights(graph, config, model);
  for (const { name, shape } of weightSpecs(config)) {
    // declared out here, never in a loop's body
    if (isTable(name)) weights.table(name);
    else if (shape.length === 2) weights.matrix(name);
    else weights.weight(name);
  }
  const lora = model.lora && loraValues(model.lora, graph.input("lora", "float32", [model.lora.size]));
  return { graph, config, ...weights, lora, ...ropeConstants(graph, config, model.maxPositions) };
}

const CACHE_AXES = ["B", "Hkv", "T", "Dh"];

function cacheInputs(graph: Graph, config: ModelConfig, batch: number, length: Dim): LayerCache[] {
  const dims = [batch, config.kvHeads, length, config.headDim];
  return Array.from({ length: config.layers }, (_, layer) => ({
    key: graph.input(`key.${layer}`, "float32", dims, CACHE_AXES),
    value: graph.input(`value.${layer}`, "float32", dims, CACHE_AXES),
  }));
}

function cacheOutputs(graph: Graph, caches: readonly LayerCache[], prefix = ""): void {
  const name = (part: string): string =>
    prefix === "" ? part : `${prefix}${part[0]?.toUpperCase()}${part.slice(1)}`;
  caches.forEach(({ key, value }, layer) => {
    graph.output(`${name("key")}.${layer}`, key);
    graph.output(`${name("value")}.${layer}`, value);
  });
}

/**
 * Inputs: ids int32 [Tp], positions int64 [Tp, 1], seqLensK int32 [1] = Tp - 1, totalLength int32 [1] = Tp,
 * lastRow int32 [1], lora, and with `cacheLength` key.l and value.l [1, Hkv, cacheLength, Dh] (zeros). Outputs:
 * logits [1, V] after the last row; nextKey.l and nextValue.l [1, Hkv, Tp or cacheLength, Dh].
 */
export function prefillGraph(model: RolloutModel, cacheLength: number | null = null): Graph {
  const graph = new Graph("prefill");
  const parts = partsOf(graph, model);
  const ids = graph.input("ids", "int32", ["Tp"], ["Tp"]);
  const presents: LayerCache[] = [];
  const decoder: Decoder = {
    ...parts,
    positions: graph.input("positions", "int64", ["Tp", 1]),
    rows: "Tp",
    attend: cachedAttention({
      config: model.config,
      batch: 1,
      length: "Tp",
      past: cacheLength === null ? null : cacheInputs(graph, model.config, 1, cacheLength),
      seqLensK: graph.input("seqLensK", "int32", [1]),
      totalLength: graph.input("totalLength", "int32", [1]),
      presents,
    }),
  };
  const rows = decode(decoder, embed(parts, ids)); // [Tp, D]
  const last = gather(rows, graph.input("lastRow", "int32", [1]), 0); // [1, D]
  graph.output("nextLogits", headLogits(parts, last)); // [1, V]
  cacheOutputs(graph, presents, "next");
  return graph;
}

/** Copies one prompt's cache and logits to B rows: key.l, value.l [1, Hkv, T, Dh], logits [1, V] -> next* [B, ...]. */
export function spreadGraph(model: RolloutModel, batch: number, cacheLength: number): Graph {
  const graph = new Graph("spread");
  const { kvHeads, headDim, vocabSize } = model.config;
  const toRows = (x: Value): Value => expand(x, [batch, kvHeads, cacheLength, headDim]);
  const caches = cacheInputs(graph, model.config, 1, cacheLength);
  graph.output(
    "nextLogits",
    expand(graph.input("logits", "float32", [1, vocabSize], ["B", "V"]), [batch, vocabSize]),
  );
  cacheOutputs(
    graph,
    caches.map(({ key, value }) => ({ key: toRows(key), value: toRows(value) })),
    "next",
  );
  return graph;
}

/**
 * Inputs: logits [B, V] of the next token, key.l and value.l [B, Hkv, T, Dh], length int32 [1] = T, finished
 * float32 [B] (1 = ended in an earlier chunk), uniform [n, B] with n >= trips, trips int64 [] = n,
 * inverseTemperature [1], lora. Runs until n tokens a row or until every row has ended. Outputs: tokens int32
 * [k, B] and logProbs [k, B] of the k <= n tokens sampled, nextLogits, nextKey.l, nextValue.l and nextFinished to go
 * on from. What follows a row's end token is noise to be cut by the caller.
 */
export function decodeLoopGraph(model: RolloutModel, options: DecodeOptions): Graph {
  const graph = new Graph("decode-loop");
  const { batch: B, vocabSize: V } = options;
  const parts = partsOf(graph, model);
  const logits = graph.input("logits", "float32", [B, V], ["B", "V"]);
  const caches = cacheInputs(graph, model.config, B, "T");
  const length = graph.input("length", "int32", [1]);
  const finished = graph.input("finished", "float32", [B], ["B"]);
  const uniform = graph.input("uniform", "float32", ["n", B], ["n", "B"]);
  const inverseTemperature = graph.input("inverseTemperature", "float32", [1]);
  const { carried, scans } = loop({
    maxTrips: graph.input("trips", "int64", []),
    carried: [logits, length, finished, ...caches.flatMap(({ key, value }) => [key, value])],
    body: (iteration, [logitsNow, lengthNow, finishedNow, ...pasts]) => {
      const now = defined(lengthNow, "length");
      const seqLensK = expand(now, [B]); // the new row stands at `length`, so total - 1 = length
      const { sampled, nextLogits, presents } = sampleAndAdvance(parts, options, {
        logits: defined(logitsNow, "logits"),
        uniform: reshape(gather(uniform, reshape(cast(iteration, "int32"), [1]), 0), [B]),
        inverseTemperature,
        positions: cast(reshape(seqLensK, [B, 1]), "int64"),
        seqLensK,
        totalLength: add(now, 1),
        past: pairCaches(pasts),
      });
      const done = maximum(defined(finishedNow, "finished"), isEnd(sampled.tokens, options.endTokenIds));
      return {
        condition: someRunning(done),
        carried: [nextLogits, add(now, 1), done, ...presents.flatMap(({ key, value }) => [key, value])],
        scans: [sampled.tokens, sampled.logProbs],
      };
    },
  });
  const [nextLogits, , nextFinished, ...nextCaches] = carried;
  graph.output("tokens", defined(scans[0], "tokens"));
  graph.output("logProbs", defined(scans[1], "logProbs"));
  graph.output("nextLogits", defined(nextLogits, "logits"));
  graph.output("nextFinished", defined(nextFinished, "finished"));
  cacheOutputs(graph, pairCaches(nextCaches), "next");
  return graph;
}

/**
 * One token a row. Inputs as in the loop but with caches of fixed length and, from the host, uniform [B], positions
 * int64 [B, 1] and seqLensK int32 [B] (both = tokens so far), totalLength int32 [1] (one more). nextKey.l and
 * nextValue.l may be bound to the buffers of key.l and value.l.
 */
export function decodeStepGraph(model: RolloutModel, options: DecodeOptions, cacheLength: number): Graph {
  const graph = new Graph("decode-step");
  const { batch: B, vocabSize: V } = options;
  const { sampled, nextLogits, presents } = sampleAndAdvance(partsOf(graph, model), options, {
    logits: graph.input("logits", "float32", [B, V], ["B", "V"]),
    uniform: graph.input("uniform", "float32", [B], ["B"]),
    inverseTemperature: graph.input("inverseTemperature", "float32", [1]),
    positions: graph.input("positions", "int64", [B, 1]),
    seqLensK: graph.input("seqLensK", "int32", [B]),
    totalLength: graph.input("totalLength", "int32", [1]),
    past: cacheInputs(graph, model.config, B, cacheLength),
  });
  graph.output("tokens", sampled.tokens);
  graph.output("logProbs", sampled.logProbs);
  graph.output("nextLogits", nextLogits);
  cacheOutputs(graph, presents, "next");
  return graph;
}

/** Draws a token for each row and runs it through the model. */
function sampleAndAdvance(
  parts: Parts,
  options: DecodeOptions,
  now: {
    readonly logits: Value;
    readonly uniform: Value;
    readonly inverseTemperature: Value;
    readonly positions: Value;
    readonly seqLensK: Value;
    readonly totalLength: Value;
    readonly past: readonly LayerCache[];
  },
): { readonly sampled: Sampled; readonly nextLogits: Value; readonly presents: LayerCache[] } {
  const sampled = sampleTokens(now.logits, now.uniform, now.inverseTemperature, options);
  const presents: LayerCache[] = [];
  const { past, seqLensK, totalLength } = now;
  const batch = options.batch;
  const decoder: Decoder = {
    ...parts,
    positions: now.positions,
    rows: batch,
    attend: cachedAttention({
      config: parts.config,
      batch,
      length: 1,
      past,
      seqLensK,
      totalLength,
      presents,
    }),
  };
  const rows = decode(decoder, embed(parts, sampled.tokens)); // [B, D]
  return { sampled, nextLogits: headLogits(parts, rows), presents };
}

function pairCaches(values: readonly Value[]): LayerCache[] {
  return Array.from({ length: values.length / 2 }, (_, i) => ({
    key: defined(values[2 * i], "key cache"),
    value: defined(values[2 * i + 1], "value cache"),
  }));
}

/** 1 where the token is one of the end tokens: float32 [B]. */
function isEnd(tokens: Value, endTokenIds: readonly number[]): Value {
  return endTokenIds.map((id) => cast(equal(tokens, id), "float32")).reduce((a, b) => maximum(a, b));
}

/** True while some row of `done` [B] is 0: a bool scalar. */
function someRunning(done: Value): Value {
  return less(neg(reduceMax(neg(done), [0])), 1);
}
