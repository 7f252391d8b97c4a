/** Padding, order, micro-batches, company, pauses and other arms change nothing, on the page's own runtime, WASM. */
import { openBrowserEngine } from "../../engine/runtime/ort-browser.ts";
import { testRunExactness } from "../../testing/run-exactness.ts";
import { testUpdateInvariances } from "../../testing/update-invariances.ts";

const open = () => openBrowserEngine("wasm", { threads: 1 });

testUpdateInvariances("qwen3", open);
testRunExactness(open);
