/** Weights that were moved into the kernels' memory are read and computed with as before, and are nowhere else. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { dequantizeBlocks, isBlockTensor } from "../../engine/graph/block-tensor.ts";
import { openKernelEngine } from "../../engine/kernels/kernels-node.ts";
import type { Engine } from "../../engine/runtime/engine.ts";
import { inBlocks } from "../../testing/block-weights.ts";
import { type CountedHeap, countHeap } from "../../testing/counted-heap.ts";
import { randomAdapter, randomWeights, TINY_END, TINY_LORA, tinyConfig } from "../../testing/tiny-model.ts";
import { createModelPolicy } from "../../training/model-policy/create.ts";
import { createRng } from "../../base/rng.ts";
import { moveWeights } from "./move-weights.ts";

const CONFIG = tinyConfig("qwen3", 40);
/** Chunks of 7 rows. */
const SMALL_BINDING = 4 * 16 * 4 * 7;
const weights = () => inBlocks(randomWeights(CONFIG), 8);

let engine: Engine;
let heap: CountedHeap;
beforeAll(async () => {
  engine = await openKernelEngine();
  heap = countHeap(engine);
});
afterAll(() => engine.dispose());

/** Answers, and the gradient of learning from them, on an engine of its own or the one that holds the weights. */
async function learned(on: Engine, given: ReturnType<typeof weights>) {
  const policy = createModelPolicy({
    engine: on,
    model: { config: CONFIG, weights: given, endTokenIds: TINY_END },
    ...{ lora: TINY_LORA, maxPositions: 16, plan: "layered", largestTableBytes: SMALL_BINDING },
  });
  const adapter = randomAdapter(policy.adapterSize);
  const prompt = Int32Array.of(3, 1, 4, 1, 5);
  const [group = []] = await policy.rollout({
    prompts: [prompt],
    ...{ groupSize: 2, maxTokens: 4, temperature: 1, topK: 0, topP: 1, adapter },
    uniform: createRng(3).next,
  });
  const scores = await policy.logProbs(
    [{ prompt, completions: group.map(({ tokens }) => tokens) }],
    adapter,
    1,
  );
  await policy.dispose();
  return { group, scores };
}

test("moved weights give the same answers, are held once, and stay what they were while the memory grows", async () => {
  const plain = weights();
  const other = await openKernelEngine();
  const counted = countHeap(other);
  const expected = await learned(other, plain);
  await other.dispose();

  const moved = weights();
  const before = new Map(moved);
  moveWeights(engine, moved);
  const held = heap.held();
  expect(await learned(engine, moved)).toEqual(expected);
  expect(Math.abs(heap.takePeak() - counted.takePeak())).toBeLessThan(held / 2);
  const grown = engine.upload({ dtype: "float32", dims: [1 << 22], data: new Float32Array(1 << 22) });
  for (const [name, weight] of moved) {
    const own = plain.get(name);
    if (!isBlockTensor(weight) || own === undefined || !isBlockTensor(own)) continue;
    expect(dequantizeBlocks(weight), name).toEqual(dequantizeBlocks(own));
    expect(weight, name).not.toBe(before.get(name));
  }
  engine.release(grown);
});

test("weights stay where they are on an engine without such a memory", () => {
  const moved = weights();
  const before = new Map(moved);
  moveWeights({ ...engine, hold: undefined } as unknown as Engine, moved);
  for (const [name, weight] of moved) expect(weight).toBe(before.get(name));
});
