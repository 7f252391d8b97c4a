/**
 * Tokens per second of rollouts of a real model, prefill included, beside transformers.js' `generate()` on the same weights:
 * SmolLM2-135M-Instruct in 8 bits, Chromium, WASM, 8 samples of one prompt of 80 tokens, 64 tokens each, temperature 1, no
 * truncation, no end token in either. Ours carries a LoRA adapter, which the peer cannot. `generate()` runs the eight rows as
 * one batch, or one after the other: the faster form is what counts. On one thread, as both choose by themselves on two cores,
 * and on two.
 */
import type { BenchPages, Remote } from "./bench-page.ts";
import { type Bench, type BenchOptions, type Figure, pairedFigure } from "./figure.ts";
import { measureInTurn } from "./in-turn.ts";
import type { EngineBench } from "./pages/engine-worker.ts";
import type { GenerateAsk, TransformersBench } from "./pages/transformers-worker.ts";
import { openRealPages, REAL_MODEL, REAL_PEER } from "./real-model.ts";

const GROUP = 8;
const PROMPT = 80;
const TOKENS = 64;
const PAIRS = 3;
/** Difference in mean log-probability below which two texts count as equally likely. */
const AS_LIKELY = 0.5;

export const realRollouts: Bench = (options) => onThreads(1, options);
export const realRolloutsTwoThreads: Bench = (options) => onThreads(2, options);

async function onThreads(threads: number, options: BenchOptions): Promise<Figure[]> {
  const pages = await openRealPages();
  try {
    return [await compare(pages, threads, options)];
  } finally {
    await pages.close();
  }
}

async function compare(pages: BenchPages, threads: number, { pairs, print }: BenchOptions): Promise<Figure> {
  const engine = await pages.open("engine");
  const opened = await engine.open({ kind: "wasm", threads, random: null, gguf: REAL_MODEL });
  const peer = await pages.open("transformers");
  await peer.open({ ...REAL_PEER, threads });
  const { ids } = await engine.prompt(PROMPT);
  print(`threads: ours ${opened.threads}, the peer's ${threads}`);
  const ask = { prompt: ids, groupSize: GROUP, maxTokens: TOKENS, temperature: 1, adapter: true };
  print(await sameGreedyText(engine, peer, ids));
  const form = await fasterForm(peer, ask, print);
  const ours = async (): Promise<number> => (GROUP * TOKENS) / (await engine.rollout(ask)).seconds;
  const theirs = async (): Promise<number> => (GROUP * TOKENS) / (await peer.generate(form)).seconds;
  const name = threads === 1 ? "real-rollouts" : `real-rollouts-${threads}-threads`;
  return pairedFigure(name, "tokens/s", "higher", await measureInTurn(ours, theirs, pairs ?? PAIRS));
}

/** Says how fast `generate()` is with one batch and with one sequence of the eight, and gives the faster form. */
async function fasterForm(
  peer: Remote<TransformersBench>,
  ask: GenerateAsk,
  print: BenchOptions["print"],
): Promise<GenerateAsk> {
  const rate = async (groupSize: number): Promise<number> =>
    (groupSize * TOKENS) / (await peer.generate({ ...ask, groupSize })).seconds;
  const [batch, alone] = [await rate(GROUP), await rate(1)];
  print(`generate(): ${batch.toFixed(1)} tokens/s as one batch, ${alone.toFixed(1)} one after the other`);
  return { ...ask, sequential: alone > batch };
}

/**
 * Says how far the greedy texts agree. The peer rounds both sides of its products to 8 bits, so they part where two tokens are
 * nearly as likely; then its text must be about as likely by our model as our own.
 * @throws Error where it is not: then the peer does not compute our model
 */
async function sameGreedyText(
  engine: Remote<EngineBench>,
  peer: Remote<TransformersBench>,
  prompt: readonly number[],
): Promise<string> {
  const ask = { prompt, groupSize: 1, maxTokens: TOKENS, temperature: 0, adapter: false };
  const [ours = []] = (await engine.rollout(ask)).tokens;
  const [theirs = []] = (await peer.generate(ask)).tokens;
  if (ours.length !== theirs.length) throw new Error(`${ours.length} tokens beside ${theirs.length}`);
  const parts = ours.findIndex((token, i) => token !== theirs[i]);
  if (parts === -1) return `the same ${TOKENS} greedy tokens`;
  const rows = await engine.logProbs({ prompt, completions: [ours, theirs] });
  const [own = NaN, other = NaN] = rows.map((row) => row.reduce((a, b) => a + b, 0) / TOKENS);
  const texts = `mean log-probability ${own.toFixed(2)} of our greedy text, ${other.toFixed(2)} of the peer's`;
  if (parts > 0 && own - other < AS_LIKELY) return `the same ${parts} greedy tokens, then others: ${texts}`;
  throw new Error(`greedy texts part at ${parts}, ${texts}`);
}
