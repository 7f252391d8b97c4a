/** Rollouts and the update give one set of log-probabilities, on onnxruntime-node: tiny models and the bundled one. */
import { defined } from "../../base/assert.ts";
import { openNodeEngine } from "../../engine/runtime/ort-node.ts";
import { createFolderSource } from "../../headless/folder-source.ts";
import { bundledModelFolders } from "../../testing/bundled-model.ts";
import { testBundledRolloutLogProbs, testRolloutLogProbs } from "../../testing/rollout-log-probs.ts";
import { ARCHITECTURES } from "../../testing/tiny-model.ts";

const open = () => Promise.resolve(openNodeEngine(1));

for (const architecture of ARCHITECTURES) testRolloutLogProbs(architecture, open);
const folder = defined(
  bundledModelFolders("config.json", "model.safetensors", "tokenizer.json")[0],
  "bundled model",
);
testBundledRolloutLogProbs(createFolderSource(folder), open);
