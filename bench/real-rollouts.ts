/**
 * Tokens per second of rollouts of a real model, prefill included, beside transformers.js' `generate()` on the same weights:
 * SmolLM2-135M-Instruct in 8 bits, Chromium, WASM, 8 samples of one prompt of 80 tokens, 64 tokens each, temperature 1, no
 * truncation, no end token in either. Ours carries a LoRA adapter, which the peer cannot. `generate()` runs the eight rows as
 * one batch, or one after the other: the faster form is what counts. On one thread, and on two.
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
/** Difference of two tokens' log-probabilities below which rounding may swap them. */
const NEAR_TIE = 0.5;

export const realRollouts: Bench = async (options) => {
  const pages = await openRealPages();
  try {
    return [await compare(pages, 2, options), await compare(pages, 1, options)];
  } finally {
    await pages.close();
  }
};

async function compare(pages: BenchPages, threads: number, { pairs, print }: BenchOptions): Promise<Figure> {
  const engine = await pages.open("engine");
  const opened = await engine.open({ kind: "wasm", threads, random: null, gguf: REAL_MODEL });
  const peer = await pages.open("transformers");
  await peer.open({ ...REAL_PEER, threads });
  const { ids } = await engine.prompt(PROMPT);
  print(`threads: ours ${opened.threads}, the peer's ${threads}`);
  const ask = { prompt: ids, groupSize: GROUP, maxTokens: TOKENS, temperature: 1, adapter: true };
  print(await sameGreedyTokens(engine, peer, ids));
  const form = await fasterForm(peer, ask, print);
  const ours = async (): Promise<number> => (GROUP * TOKENS) / (await engine.rollout(ask)).seconds;
  const theirs = async (): Promise<number> => (GROUP * TOKENS) / (await peer.generate(form)).seconds;
  const name = threads === 1 ? "real-rollouts" : `real-rollouts-${threads}-threads`;
  const figure = pairedFigure(name, "tokens/s", "higher", await measureInTurn(ours, theirs, pairs ?? PAIRS));
  await engine.close(null);
  await pages.pageOf(peer).close();
  return figure;
}

/** `generate()` with one batch or with sequences in turn, whichever is faster; both are printed. */
async function fasterForm(
  peer: Remote<TransformersBench>,
  ask: GenerateAsk,
  print: BenchOptions["print"],
): Promise<GenerateAsk> {
  const timed: { readonly form: GenerateAsk; readonly seconds: number }[] = [];
  for (const form of [ask, { ...ask, sequential: true }]) {
    const { seconds } = await peer.generate(form);
    timed.push({ form, seconds });
    const words = form.sequential === true ? "one after the other" : "as one batch";
    print(`generate(), ${GROUP} rows ${words}: ${((GROUP * TOKENS) / seconds).toFixed(1)} tokens/s`);
  }
  return timed.sort((a, b) => a.seconds - b.seconds)[0]?.form ?? ask;
}

/**
 * Says how far the greedy texts agree. The peer rounds what it multiplies to 8 bits and its columns by other scales, so they may
 * part where two tokens are nearly as likely by our numbers.
 * @throws Error where they part elsewhere: then the peer does not compute our model.
 */
async function sameGreedyTokens(
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
  const completions = [ours, theirs].map((tokens) => tokens.slice(0, parts + 1));
  const [own = NaN, other = NaN] = (await engine.logProbs({ prompt, completions })).map((row) => row[parts]);
  if (own - other < NEAR_TIE)
    return `the same ${parts} greedy tokens, then two whose log-probabilities differ by ${(own - other).toFixed(3)}`;
  throw new Error(
    `greedy tokens part at ${parts} where ours is ${(own - other).toFixed(3)} more likely:\n  ours  ${String(ours)}\n  peer  ${String(theirs)}`,
  );
}
