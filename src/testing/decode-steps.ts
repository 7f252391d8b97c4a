/** A prompt, its cache spread to rows, and four decoding steps of a tiny model, with all logits, for tests of any engine. */
import { createRng } from "../base/rng.ts";
import { float32, type HostTensor, int32 } from "../engine/graph/tensor.ts";
import { loraLayout } from "../engine/nn/lora.ts";
import { decodeStepGraph, prefillGraph, spreadGraph } from "../engine/nn/rollout-graphs.ts";
import type { CompiledGraphs } from "../training/model-policy/compiled-graphs.ts";
import { promptFeeds } from "../training/model-policy/rollout-rows.ts";
import { TINY_END, TINY_LORA } from "./tiny-model.ts";
import type { UpdateCase } from "./update-plans.ts";

const STEPS = 4;
const ROWS = 2;
const CACHE = 16;

/** What a step leaves, as plain numbers. */
export interface DecodedStep {
  readonly logits: readonly number[];
  /** Empty for the prompt. */
  readonly tokens: readonly number[];
  readonly logProbs: readonly number[];
}

type Tensors = Readonly<Record<string, HostTensor>>;

/** The prompt's step, then four. Everything passes through the host, so that nothing hides in a buffer. */
export async function decodeSteps(
  { config, adapter, groups }: UpdateCase,
  graphs: CompiledGraphs,
): Promise<DecodedStep[]> {
  const { kvHeads, headDim, layers, vocabSize } = config;
  const model = { config, lora: loraLayout(config, TINY_LORA), maxPositions: CACHE };
  const sampler = { batch: ROWS, vocabSize, topK: 0, topP: 1, greedy: false, endTokenIds: TINY_END };
  const lora = float32([adapter.length], adapter);
  const prompt = groups[0]?.prompt ?? new Int32Array();
  const empty = float32([1, kvHeads, CACHE, headDim], new Float32Array(kvHeads * CACHE * headDim));
  const names = Array.from({ length: layers }, (_, layer) => [`key.${layer}`, `value.${layer}`]).flat();
  const caches = Object.fromEntries(names.map((name) => [name, empty]));

  const prefill = await graphs.get("prefill", () => prefillGraph(model, CACHE));
  const first = (await prefill.run({ ...promptFeeds(prompt), ...caches, lora })) as Tensors;
  const spread = await graphs.get("spread", () => spreadGraph(model, ROWS, CACHE));
  let state = renamed((await spread.run(renamed(first))) as Tensors);
  const step = await graphs.get("step", () => decodeStepGraph(model, sampler, CACHE));
  const decoded: DecodedStep[] = [{ logits: numbers(first, "nextLogits"), tokens: [], logProbs: [] }];
  const rng = createRng(31, "decode steps");
  for (let i = 0; i < STEPS; i++) {
    const length = prompt.length + i;
    const out = (await step.run({
      ...state,
      lora,
      uniform: float32(
        [ROWS],
        Float32Array.from({ length: ROWS }, () => rng.next()),
      ),
      inverseTemperature: float32([1], Float32Array.of(1 / 1.2)),
      positions: { dtype: "int64", dims: [ROWS, 1], data: new BigInt64Array(ROWS).fill(BigInt(length)) },
      seqLensK: int32([ROWS], new Int32Array(ROWS).fill(length)),
      totalLength: int32([1], Int32Array.of(length + 1)),
    })) as Tensors;
    const [logits, tokens, logProbs] = ["nextLogits", "tokens", "logProbs"].map((name) => numbers(out, name));
    decoded.push({ logits: logits ?? [], tokens: tokens ?? [], logProbs: logProbs ?? [] });
    state = renamed(out);
  }
  return decoded;
}

const numbers = (out: Tensors, name: string): number[] => Array.from(out[name]?.data ?? [], Number);

/** nextLogits -> logits, nextKey.l -> key.l ...; what a step gives but does not take is left out. */
function renamed(tensors: Tensors): Record<string, HostTensor> {
  const bare = (name: string): string => name.replace(/^next(.)/, (_, first: string) => first.toLowerCase());
  const carried = Object.entries(tensors).filter(([name]) => name.startsWith("next"));
  return Object.fromEntries(carried.map(([name, tensor]) => [bare(name), tensor]));
}
