/**
 * Rollouts where tensors stay with the engine (WebGPU, our own kernels): the prompt once at batch 1, its cache spread to G rows of fixed length, then one run a token
 * with logits and caches staying in place. Tokens are read back every few steps, to end early and to abort.
 */
import { float32, type HostTensor, int32 } from "../../engine/graph/tensor.ts";
import {
  type DecodeOptions,
  decodeStepGraph,
  prefillGraph,
  type RolloutModel,
  spreadGraph,
} from "../../engine/nn/rollout-graphs.ts";
import type { LoraLayout } from "../../engine/nn/lora.ts";
import { adaptedWeights, MERGED, mergeGraph } from "../../engine/nn/merged-weights.ts";
import { clampUniform } from "../../engine/nn/sampler.ts";
import type { DeviceTensor, Engine } from "../../engine/runtime/engine.ts";
import type { Completion, PromptTokens, RolloutRequest } from "../policy.ts";
import type { CompiledGraph, CompiledGraphs, SessionOptions } from "./compiled-graphs.ts";
import { cacheLengthFor } from "./cache-length.ts";
import {
  createRows,
  inverseTemperature,
  promptFeeds,
  throwIfAborted,
  type RolloutRows,
} from "./rollout-rows.ts";

/** Steps between two readings of the sampled tokens. */
const READ_EVERY = 8;

export interface StepRolloutContext {
  readonly engine: Engine;
  readonly graphs: CompiledGraphs;
  readonly model: RolloutModel;
  readonly endTokenIds: readonly number[];
  /** True: the adapter is added into the weights before the first token, which costs a copy of them. */
  readonly merges: boolean;
}

type DeviceTensors = Readonly<Record<string, DeviceTensor>>;

/** [P][G] completions, one prompt after the other. */
export async function stepRollout(
  context: StepRolloutContext,
  request: RolloutRequest,
  adapter: Float32Array,
): Promise<Completion[][]> {
  const { engine, model } = context;
  const lora = engine.upload(float32([adapter.length], adapter));
  const held: DeviceTensor[] = [lora];
  try {
    const merged = context.merges && model.lora ? await mergedWeights(context, model.lora, lora) : null;
    held.push(...Object.values(merged ?? {}));
    const policy: Adapted = {
      model: merged ? { ...model, lora: null } : model,
      feeds: merged ?? { lora },
      options: { fed: new Set(Object.keys(merged ?? {})) },
    };
    const groups: Completion[][] = [];
    for (const prompt of request.prompts) groups.push(await rolloutPrompt(context, policy, request, prompt));
    return groups;
  } finally {
    held.forEach((tensor) => {
      engine.release(tensor);
    });
  }
}

/** On WebGPU one length for all prompts of a request: a graph's shaders take seconds to compile. */
function cacheLengthOf(
  { engine, model }: StepRolloutContext,
  { prompts, maxTokens }: RolloutRequest,
  prompt: PromptTokens,
): number {
  const { kind } = engine.info;
  const longest = kind === "webgpu" ? Math.max(...prompts.map(({ length }) => length)) : prompt.length;
  return cacheLengthFor(kind, longest + maxTokens, model.maxPositions);
}

/** The adapter as the graphs take it: merged into the weights that it adapts, or beside them. */
interface Adapted {
  readonly model: RolloutModel;
  readonly feeds: DeviceTensors;
  readonly options: Pick<SessionOptions, "fed">;
}

async function mergedWeights(
  { graphs }: StepRolloutContext,
  layout: LoraLayout,
  lora: DeviceTensor,
): Promise<DeviceTensors> {
  const names = adaptedWeights(layout);
  const merge = await graphs.get("merge", () => mergeGraph(layout), {
    deviceOutputs: names.map((name) => MERGED + name),
  });
  const merged = (await merge.run({ lora })) as DeviceTensors;
  return Object.fromEntries(
    Object.entries(merged).map(([name, tensor]) => [name.slice(MERGED.length), tensor]),
  );
}

async function rolloutPrompt(
  context: StepRolloutContext,
  policy: Adapted,
  request: RolloutRequest,
  prompt: PromptTokens,
): Promise<Completion[]> {
  const { groupSize: B, maxTokens, temperature, topK, topP } = request;
  const uniforms = Float32Array.from({ length: maxTokens * B }, () => clampUniform(request.uniform()));
  const cacheLength = cacheLengthOf(context, request, prompt);
  const { vocabSize } = context.model.config;
  const { endTokenIds } = context;
  const greedy = temperature === 0;
  const options: DecodeOptions = { batch: B, vocabSize, topK, topP, greedy, endTokenIds };
  const step = await context.graphs.get(
    `step ${B} ${topK} ${topP} ${greedy} ${cacheLength}`,
    () => decodeStepGraph(policy.model, options, cacheLength),
    {
      deviceOutputs: ["tokens", "logProbs", "nextLogits", ...cacheNames(context.model, "next")],
      ...policy.options,
    },
  );
  const { logits, caches } = await prefill(context, policy, prompt, { B, cacheLength });
  const rows = createRows(B, endTokenIds);
  const inPlace = Object.fromEntries(
    Object.entries(caches).map(([name, cache]) => [`next${capital(name)}`, cache]),
  );
  const state: DecodeState = { logits, pending: [], step, caches, inPlace, policy: policy.feeds, rows };
  try {
    for (let t = 0; t < maxTokens && !rows.allEnded(); t++) {
      const uniform = float32([B], uniforms.slice(t * B, (t + 1) * B));
      await decodeOne(context.engine, state, { uniform, length: prompt.length + t, temperature });
      if (state.pending.length < (request.chunkTokens ?? READ_EVERY) && t + 1 < maxTokens) continue;
      await readPending(context.engine, state);
      throwIfAborted(request.signal);
      request.onProgress?.(rows.count());
      request.onTokens?.(rows.tokens());
    }
    return rows.completions();
  } finally {
    const left = [
      state.logits,
      ...Object.values(caches),
      ...state.pending.flatMap(Object.values<DeviceTensor>),
    ];
    left.forEach((tensor) => {
      context.engine.release(tensor);
    });
  }
}

interface DecodeState {
  logits: DeviceTensor;
  /** Sampled but not yet read, oldest first. */
  pending: { readonly tokens: DeviceTensor; readonly logProbs: DeviceTensor }[];
  readonly step: CompiledGraph;
  /** key.l and value.l, updated in place. */
  readonly caches: DeviceTensors;
  /** The same by the names of the graph's outputs. */
  readonly inPlace: DeviceTensors;
  /** The adapter, or the weights that hold it. */
  readonly policy: DeviceTensors;
  readonly rows: RolloutRows;
}

async function decodeOne(
  engine: Engine,
  state: DecodeState,
  now: { readonly uniform: HostTensor; readonly length: number; readonly temperature: number },
): Promise<void> {
  const B = now.uniform.dims[0] ?? 0;
  const out = (await state.step.run(
    {
      logits: state.logits,
      ...state.caches,
      ...state.policy,
      uniform: now.uniform,
      inverseTemperature: inverseTemperature(now.temperature),
      positions: { dtype: "int64", dims: [B, 1], data: new BigInt64Array(B).fill(BigInt(now.length)) },
      seqLensK: int32([B], new Int32Array(B).fill(now.length)),
      totalLength: int32([1], Int32Array.of(now.length + 1)),
    },
    state.inPlace,
  )) as DeviceTensors;
  engine.release(state.logits);
  const { nextLogits, tokens, logProbs } = out;
  if (nextLogits) state.logits = nextLogits;
  if (tokens && logProbs) state.pending.push({ tokens, logProbs });
}

async function readPending(engine: Engine, state: DecodeState): Promise<void> {
  for (const { tokens, logProbs } of state.pending) {
    const [ids, values] = [await engine.download(tokens), await engine.download(logProbs)];
    state.rows.append(ids.data as Int32Array, values.data as Float32Array);
    engine.release(tokens);
    engine.release(logProbs);
  }
  state.pending = [];
}

/** key.0, value.0, ... or nextKey.0, nextValue.0, ... */
function cacheNames({ config }: RolloutModel, prefix: "" | "next"): string[] {
  const [key, value] = prefix === "" ? ["key", "value"] : ["nextKey", "nextValue"];
  return Array.from({ length: config.layers }, (_, layer) => [`${key}.${layer}`, `${value}.${layer}`]).flat();
}

async function prefill(
  { engine, graphs, model }: StepRolloutContext,
  policy: Adapted,
  prompt: PromptTokens,
  { B, cacheLength }: { readonly B: number; readonly cacheLength: number },
): Promise<{ logits: DeviceTensor; caches: DeviceTensors }> {
  const { kvHeads, headDim } = model.config;
  const deviceOutputs = ["nextLogits", ...cacheNames(model, "next")];
  const empty = float32(
    [1, kvHeads, cacheLength, headDim],
    new Float32Array(kvHeads * cacheLength * headDim),
  );
  const first = await graphs.get(`prefill ${cacheLength}`, () => prefillGraph(policy.model, cacheLength), {
    deviceOutputs,
    ...policy.options,
  });
  const spread = await graphs.get(`spread ${B} ${cacheLength}`, () => spreadGraph(model, B, cacheLength), {
    deviceOutputs,
  });
  const one = (await first.run({
    ...promptFeeds(prompt),
    ...policy.feeds,
    ...Object.fromEntries(cacheNames(model, "").map((name) => [name, empty])),
  })) as DeviceTensors;
  const many = (await spread.run(renamed(one))) as DeviceTensors;
  Object.values(one).forEach((tensor) => {
    engine.release(tensor);
  });
  const { logits, ...caches } = renamed(many);
  return { logits: logits as DeviceTensor, caches };
}

function capital(name: string): string {
  return `${name[0]?.toUpperCase() ?? ""}${name.slice(1)}`;
}

/** nextLogits -> logits, nextKey.l -> key.l ... */
function renamed(tensors: DeviceTensors): Record<string, DeviceTensor> {
  const bare = (name: string): string => name.replace(/^next(.)/, (_, first: string) => first.toLowerCase());
  return Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [bare(name), tensor]));
}
