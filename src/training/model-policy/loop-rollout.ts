/**
 * Rollouts on the WASM and CPU execution providers: each prompt once at batch 1, its cache copied to G rows, then
 * chunks of tokens by one Loop run each. A run ends early when every row has ended; an abort is seen between chunks.
 */
import { float32, type HostTensor, int32, sizeOf } from "../../engine/graph/tensor.ts";
import { decodeLoopGraph, prefillGraph, type RolloutModel } from "../../engine/nn/rollout-graphs.ts";
import { clampUniform } from "../../engine/nn/sampler.ts";
import type { Completion, PromptTokens, RolloutRequest } from "../policy.ts";
import type { CompiledGraphs } from "./compiled-graphs.ts";
import { createRows, inverseTemperature, promptFeeds, throwIfAborted } from "./rollout-rows.ts";

/** Tokens a Loop run samples at most. */
const CHUNK = 24;

export interface LoopRolloutContext {
  readonly graphs: CompiledGraphs;
  readonly model: RolloutModel;
  readonly endTokenIds: readonly number[];
}

type HostTensors = Readonly<Record<string, HostTensor>>;

/** [P][G] completions, one prompt after the other. */
export async function loopRollout(
  context: LoopRolloutContext,
  request: RolloutRequest,
  adapter: Float32Array,
): Promise<Completion[][]> {
  const groups: Completion[][] = [];
  let sampled = 0;
  for (const prompt of request.prompts) {
    const report = (tokens: number): void => request.onProgress?.(sampled + tokens);
    const group = await rolloutPrompt(context, { ...request, onProgress: report }, prompt, adapter);
    sampled += group.reduce((sum, completion) => sum + completion.tokens.length, 0);
    groups.push(group);
  }
  return groups;
}

async function rolloutPrompt(
  context: LoopRolloutContext,
  request: RolloutRequest,
  prompt: PromptTokens,
  adapter: Float32Array,
): Promise<Completion[]> {
  const { groupSize: B, maxTokens } = request;
  const lora = float32([adapter.length], adapter);
  // All uniforms of the prompt at once: how many are drawn does not depend on when its rows end.
  const uniforms = Float32Array.from({ length: maxTokens * B }, () => clampUniform(request.uniform()));
  let state = await prefill(context, prompt, lora, B);
  const rows = createRows(B, context.endTokenIds);
  for (let start = 0; start < maxTokens && !rows.allEnded();) {
    throwIfAborted(request.signal);
    const trips = Math.min(request.chunkTokens ?? CHUNK, maxTokens - start);
    const uniform = float32([trips, B], uniforms.slice(start * B, (start + trips) * B));
    const chunk = await decodeChunk(context, request, {
      ...state,
      uniform,
      lora,
      ...chunkInputs(request, trips),
    });
    rows.append(chunk["tokens"]?.data as Int32Array, chunk["logProbs"]?.data as Float32Array);
    start += chunk["tokens"]?.dims[0] ?? trips;
    state = nextState(chunk, prompt.length + start, context.model.config.layers);
    request.onProgress?.(rows.count());
    request.onTokens?.(rows.tokens());
  }
  return rows.completions();
}

/** The prompt's cache and next logits, copied to B rows. */
async function prefill(
  { graphs, model }: LoopRolloutContext,
  prompt: PromptTokens,
  lora: HostTensor,
  B: number,
): Promise<HostTensors> {
  const T = prompt.length;
  const graph = await graphs.get("prefill", () => prefillGraph(model));
  const out = (await graph.run({
    ...promptFeeds(prompt),
    lora,
  })) as HostTensors;
  const state: Record<string, HostTensor> = {
    length: int32([1], Int32Array.of(T)),
    finished: float32([B], new Float32Array(B)),
  };
  const carried = nextState(out, T, model.config.layers);
  for (const [name, tensor] of Object.entries(carried))
    if (name !== "length") state[name] = repeatRows(tensor, B);
  return state;
}

/** [1, ...] copied to [B, ...]. */
function repeatRows(tensor: HostTensor, B: number): HostTensor {
  const size = sizeOf(tensor.dims);
  const data = new Float32Array(B * size);
  for (let b = 0; b < B; b++) data.set(tensor.data as Float32Array, b * size);
  return float32([B, ...tensor.dims.slice(1)], data);
}

function chunkInputs(request: RolloutRequest, trips: number): HostTensors {
  return {
    trips: { dtype: "int64", dims: [], data: BigInt64Array.of(BigInt(trips)) },
    inverseTemperature: inverseTemperature(request.temperature),
  };
}

async function decodeChunk(
  { graphs, model, endTokenIds }: LoopRolloutContext,
  { groupSize, topK, topP, temperature }: RolloutRequest,
  feeds: HostTensors,
): Promise<HostTensors> {
  const greedy = temperature === 0;
  const graph = await graphs.get(`decode ${groupSize} ${topK} ${topP} ${greedy}`, () =>
    decodeLoopGraph(model, {
      batch: groupSize,
      vocabSize: model.config.vocabSize,
      topK,
      topP,
      greedy,
      endTokenIds,
    }),
  );
  return (await graph.run(feeds)) as HostTensors;
}

/** What the next chunk goes on from. */
function nextState(chunk: HostTensors, length: number, layers: number): HostTensors {
  const state: Record<string, HostTensor> = { length: int32([1], Int32Array.of(length)) };
  const take = (from: string, to: string): void => {
    const tensor = chunk[from];
    if (tensor) state[to] = tensor;
  };
  take("nextLogits", "logits");
  take("nextFinished", "finished");
  for (let layer = 0; layer < layers; layer++) {
    take(`nextKey.${layer}`, `key.${layer}`);
    take(`nextValue.${layer}`, `value.${layer}`);
  }
  return state;
}
