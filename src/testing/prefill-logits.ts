/** Next-token logits of our prefill graph at every position of some rows, to compare with what transformers and PEFT compute. */
import { float32, int32, type HostTensor } from "../engine/graph/tensor.ts";
import type { LoraLayout } from "../engine/nn/lora.ts";
import type { ModelConfig } from "../engine/nn/model-config.ts";
import { prefillGraph } from "../engine/nn/rollout-graphs.ts";
import type { Engine } from "../engine/runtime/engine.ts";
import { compiledGraphs } from "../training/model-policy/compiled-graphs.ts";

export interface PrefillModel {
  readonly config: ModelConfig;
  readonly weights: Parameters<typeof compiledGraphs>[1];
}

/** Flat [B, T, V], each position from a prompt that ends there. */
export async function prefillLogits(
  engine: Engine,
  { config, weights }: PrefillModel,
  layout: LoraLayout,
  { adapter, inputIds }: { readonly adapter: Float32Array; readonly inputIds: readonly Int32Array[] },
): Promise<Float32Array> {
  const graphs = compiledGraphs(engine, weights);
  const graph = await graphs.get("prefill", () => prefillGraph({ config, lora: layout, maxPositions: 48 }));
  const rows: number[] = [];
  for (const ids of inputIds) {
    for (let T = 1; T <= ids.length; T++) {
      const out = await graph.run({
        ids: int32([T], ids.slice(0, T)),
        positions: {
          dtype: "int64",
          dims: [T, 1],
          data: BigInt64Array.from({ length: T }, (_, t) => BigInt(t)),
        },
        seqLensK: int32([1], Int32Array.of(T - 1)),
        totalLength: int32([1], Int32Array.of(T)),
        lastRow: int32([1], Int32Array.of(T - 1)),
        lora: float32([adapter.length], adapter),
      });
      rows.push(...((out["nextLogits"] as HostTensor).data as Float32Array));
    }
  }
  await graphs.dispose();
  return Float32Array.from(rows);
}

/** Largest |a - b|; NaN where the lengths differ. */
export function worstDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return Number.NaN;
  return Array.from(a).reduce((max, value, i) => Math.max(max, Math.abs(value - (b[i] ?? Number.NaN))), 0);
}
