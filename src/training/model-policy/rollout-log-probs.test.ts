/** Rollouts and the update give one set of log-probabilities, on onnxruntime-node and on our kernels: tiny models and the bundled one. */
import { describe } from "vitest";
import { defined } from "../../base/assert.ts";
import { createFolderSource } from "../../headless/folder-source.ts";
import { bundledModelFolders } from "../../testing/bundled-model.ts";
import { NODE_ENGINES } from "../../testing/node-engines.ts";
import { testBundledRolloutLogProbs, testRolloutLogProbs } from "../../testing/rollout-log-probs.ts";
import { ARCHITECTURES } from "../../testing/tiny-model.ts";

const folder = defined(
  bundledModelFolders("config.json", "model.safetensors", "tokenizer.json")[0],
  "bundled model",
);

describe.each(NODE_ENGINES)("on %s", (_, open) => {
  for (const architecture of ARCHITECTURES) testRolloutLogProbs(architecture, open);
  testBundledRolloutLogProbs(createFolderSource(folder), open);
});
