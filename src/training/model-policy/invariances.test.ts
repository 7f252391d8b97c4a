/** Padding, order, micro-batches, company, pauses and other arms change nothing, on onnxruntime-node and on our kernels. */
import { describe, expect, test } from "vitest";
import { createRng } from "../../base/rng.ts";
import { interpret } from "../../engine/graph/interpreter.ts";
import { loraLayout } from "../../engine/nn/lora.ts";
import { scoreGraph } from "../../engine/nn/update-graphs.ts";
import { relativeError } from "../../testing/grpo-step.ts";
import { NODE_ENGINES } from "../../testing/node-engines.ts";
import { testRunExactness } from "../../testing/run-exactness.ts";
import {
  ARCHITECTURES,
  randomAdapter,
  randomWeights,
  TINY_LORA,
  tinyConfig,
} from "../../testing/tiny-model.ts";
import { testUpdateInvariances } from "../../testing/update-invariances.ts";
import { packUpdate, type PackRounding } from "./pack-update.ts";

describe.each(NODE_ENGINES)("an update on %s", (_, open) => {
  for (const architecture of ARCHITECTURES) testUpdateInvariances(architecture, open);
});

describe.each(NODE_ENGINES)("a run on %s", (_, open) => {
  testRunExactness(open);
});

test("padding changes nothing beyond the last digits of float64", () => {
  const config = tinyConfig("qwen3", 40);
  const lora = loraLayout(config, TINY_LORA);
  const rng = createRng(6, "padding");
  const ids = (n: number): Int32Array => Int32Array.from({ length: n }, () => rng.below(40));
  const groups = [
    { prompt: ids(5), completions: [ids(4), ids(1)] },
    { prompt: ids(2), completions: [ids(2), ids(6)] },
  ];
  const logProbs = (rounding: PackRounding): number[] => {
    const packed = packUpdate(groups, rounding);
    const model = { config, lora, maxPositions: 16, temperature: 0.9 };
    const feeds = Object.fromEntries(
      [...randomWeights(config), ...Object.entries(packed.feeds)].map(([name, tensor]) => [
        name,
        tensor.data,
      ]),
    );
    const out = interpret(scoreGraph(model, packed.shape), { ...feeds, lora: randomAdapter(lora.size) });
    return groups.flatMap(({ completions }, p) =>
      completions.flatMap((tokens, g) =>
        Array.from(tokens, (_, t) => out["logProbs"]?.data[packed.tokenIndex(p, g, t)] ?? NaN),
      ),
    );
  };
  const tight = logProbs({ promptSlots: 1, completionSlots: 1, completionRows: 1 });
  const roomy = logProbs({ promptSlots: 8, completionSlots: 9, completionRows: 24 });
  expect(relativeError(roomy, tight)).toBeLessThan(1e-13);
});
