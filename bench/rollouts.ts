/**
 * Tokens per second of rollouts, prefill included, beside transformers.js' `generate()` on the same weights: Chromium, WASM,
 * one thread, 16 samples of one prompt, 48 tokens each, temperature 1, no truncation, no end token in either. Ours carries a LoRA adapter, which
 * the peer cannot. Before anything
 * is timed, both must give the same greedy tokens.
 */
import { join } from "node:path";
import { BUNDLED_MODEL } from "../src/app/worker/bundled-model.ts";
import { writeCommunityModel } from "../scripts/bench/community-onnx.ts";
import { BENCH_FOLDER, openBenchPages, type BenchPages, type Remote } from "./bench-page.ts";
import { type Bench, pairedFigure } from "./figure.ts";
import { measureInTurn } from "./in-turn.ts";
import type { EngineBench } from "./pages/engine-worker.ts";
import type { TransformersBench } from "./pages/transformers-worker.ts";

const GROUP = 16;
const TOKENS = 48;
const PROMPT = 40;
const PAIRS = 15;

export const rollouts: Bench = async ({ pairs, print }) => {
  const community = join(BENCH_FOLDER, "community");
  await writeCommunityModel(join(import.meta.dirname, "../models", BUNDLED_MODEL), community);
  const pages = await openBenchPages({ community });
  try {
    return await compare(pages, pairs ?? PAIRS, print);
  } finally {
    await pages.close();
  }
};

async function compare(pages: BenchPages, count: number, print: (line: string) => void) {
  const engine = await pages.open("engine");
  await engine.open({ kind: "wasm", threads: 1, random: null });
  const { ids } = await engine.prompt(PROMPT);
  const ask = { prompt: ids, groupSize: GROUP, maxTokens: TOKENS, temperature: 1, adapter: true };
  const ours = async (): Promise<number> => (GROUP * TOKENS) / (await engine.rollout(ask)).seconds;
  const figures = [];
  for (const runtime of ["asyncify", "plain"] as const) {
    const transformers = await pages.open("transformers");
    await transformers.open({ model: "community", runtime });
    await sameGreedyTokens(engine, transformers, ids);
    const peer = async (): Promise<number> => (GROUP * TOKENS) / (await transformers.generate(ask)).seconds;
    const name = runtime === "plain" ? "rollouts" : "rollouts-its-own-runtime";
    figures.push(pairedFigure(name, "tokens/s", "higher", await measureInTurn(ours, peer, count)));
    print(`transformers.js on onnxruntime's ${runtime} build gives the same ${TOKENS} greedy tokens`);
  }
  return figures;
}

/** @throws Error where the two texts differ: then the peer does not compute our model. */
async function sameGreedyTokens(
  engine: Remote<EngineBench>,
  transformers: Remote<TransformersBench>,
  prompt: readonly number[],
): Promise<void> {
  const ask = { prompt, groupSize: 2, maxTokens: TOKENS, temperature: 0, adapter: false };
  const [ours] = (await engine.rollout(ask)).tokens;
  const [theirs] = (await transformers.generate(ask)).tokens;
  if (ours?.join() !== theirs?.join()) {
    throw new Error(`greedy tokens differ:\n  ours  ${String(ours)}\n  peer  ${String(theirs)}`);
  }
}
