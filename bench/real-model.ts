/** The real model of the benches, SmolLM2-135M-Instruct in 8 bits, on both sides: its GGUF file, and the same weights as ONNX. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { writeCommunityModel } from "../scripts/bench/community-onnx.ts";
import { SMOLLM2, smollm2Missing } from "../src/testing/smollm2.ts";
import { BENCH_FOLDER, openBenchPages, type BenchPages } from "./bench-page.ts";

/** Where the two lie on the page's server. */
const OURS = "smollm2";
const PEER = "smollm2-onnx";

/** What our side opens: 8 bits are the page's own choice. */
export const REAL_MODEL = { path: `${OURS}/${SMOLLM2.file}`, storage: "q8" } as const;

/**
 * What transformers.js opens: `dtype: "q8"`, the form in which the community publishes models of 8 bits (quantize_dynamic's int8
 * matrices). On the runtime's plain build, which is faster than the one that the library takes by itself.
 */
export const REAL_PEER = { model: PEER, runtime: "plain", dtype: "q8" } as const;

/** @throws Error where the model was not fetched */
export async function openRealPages(): Promise<BenchPages> {
  const missing = smollm2Missing();
  if (missing !== null) throw new Error(missing);
  const community = join(BENCH_FOLDER, PEER);
  if (!existsSync(community)) await writeCommunityModel(SMOLLM2.folder, community, "q8");
  return openBenchPages({ [OURS]: SMOLLM2.folder, [PEER]: community });
}
