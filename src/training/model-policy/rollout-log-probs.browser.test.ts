/** Rollouts and the update give one set of log-probabilities, on the page's own runtime, WASM. */
import { openBrowserEngine } from "../../engine/runtime/ort-browser.ts";
import { createUrlSource } from "../../engine/weights/url-source.ts";
import { testBundledRolloutLogProbs, testRolloutLogProbs } from "../../testing/rollout-log-probs.ts";
import { ARCHITECTURES } from "../../testing/tiny-model.ts";

const open = () => openBrowserEngine("wasm", { threads: 1 });

for (const architecture of ARCHITECTURES) testRolloutLogProbs(architecture, open);
testBundledRolloutLogProbs(createUrlSource("bundled model", "/models/playground-qwen3-1m/"), open);
