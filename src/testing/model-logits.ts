/** A model's logits after each token of a text, by the product's own graph of a prompt, for tests of any engine. */
import { type HostTensor, int32 } from "../engine/graph/tensor.ts";
import { prefillGraph } from "../engine/nn/rollout-graphs.ts";
import type { Engine } from "../engine/runtime/engine.ts";
import { compiledGraphs } from "../training/model-policy/compiled-graphs.ts";
import type { PolicyModel } from "../training/model-policy/create.ts";
import { promptFeeds } from "../training/model-policy/rollout-rows.ts";

/** Rows [V] after the tokens at `rows`, of the base model. */
export async function modelLogits(
  engine: Engine,
  { config, weights }: PolicyModel,
  ids: Int32Array,
  rows: readonly number[] = Array.from(ids, (_, t) => t),
): Promise<Float32Array[]> {
  const graphs = compiledGraphs(engine, weights);
  try {
    const graph = await graphs.get("logits", () =>
      prefillGraph({ config, lora: null, maxPositions: ids.length }),
    );
    const found: Float32Array[] = [];
    for (const row of rows) {
      const out = await graph.run({ ...promptFeeds(ids), lastRow: int32([1], Int32Array.of(row)) });
      found.push((out["nextLogits"] as HostTensor).data as Float32Array);
    }
    return found;
  } finally {
    await graphs.dispose();
  }
}

/** The largest difference of any two numbers at the same place. */
export function largestDifference(rows: readonly Float32Array[], expected: Float32Array): number {
  let worst = 0;
  for (const [r, row] of rows.entries()) {
    for (const [i, value] of row.entries()) {
      worst = Math.max(worst, Math.abs(value - (expected[r * row.length + i] ?? Infinity)));
    }
  }
  return worst;
}
