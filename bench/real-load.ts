/**
 * From a blank page to the first token of a real model, SmolLM2-135M-Instruct in 8 bits, beside transformers.js on the same
 * weights: Chromium, WASM, one thread, everything from a local server, a fresh browser each time. Both fetch their scripts, the
 * model and its tokenizer, then answer a prompt of 80 tokens with one. Ours reads the model's GGUF file (Q4_1) and makes its
 * blocks of 8 bits on the way; the peer reads an ONNX file of 8 bits.
 * - `real-load-memory`: most bytes that the page's process has held by then, as Linux counts them;
 * - `real-load`: seconds.
 */
import type { BenchPages } from "./bench-page.ts";
import { type Bench, pairedFigure } from "./figure.ts";
import { openRealPages, REAL_MODEL, REAL_PEER } from "./real-model.ts";

const PROMPT = 80;
const PAIRS = 5;
const MB = 1e6;

interface Load {
  readonly seconds: number;
  readonly peakMb: number;
}

export const realLoad: Bench = async ({ pairs }) => {
  const pages = await openRealPages();
  try {
    const ids = await promptOf(pages);
    const loads: { readonly ours: Load; readonly peer: Load }[] = [];
    for (let i = 0; i < (pairs ?? PAIRS); i++) {
      const first = i % 2 === 0 ? await loadOurs(pages, ids) : null;
      const peer = await loadPeer(pages, ids);
      loads.push({ ours: first ?? (await loadOurs(pages, ids)), peer });
    }
    const memory = loads.map(({ ours, peer }) => ({ ours: ours.peakMb, peer: peer.peakMb }));
    const seconds = loads.map(({ ours, peer }) => ({ ours: ours.seconds, peer: peer.seconds }));
    return [
      pairedFigure("real-load-memory", "MB", "lower", memory),
      pairedFigure("real-load", "s", "lower", seconds),
    ];
  } finally {
    await pages.close();
  }
};

async function promptOf(pages: BenchPages): Promise<number[]> {
  const engine = await pages.open("engine");
  await engine.open({ kind: "wasm", threads: 1, random: null, gguf: REAL_MODEL });
  return (await engine.prompt(PROMPT)).ids;
}

const firstToken = (prompt: readonly number[]) => ({
  ...{ prompt, groupSize: 1, maxTokens: 1, temperature: 0, adapter: false },
});

function loadOurs(pages: BenchPages, prompt: readonly number[]): Promise<Load> {
  return measured(pages, async () => {
    const engine = await pages.open("engine");
    await engine.open({ kind: "wasm", threads: 1, random: null, gguf: REAL_MODEL });
    await engine.rollout(firstToken(prompt));
  });
}

function loadPeer(pages: BenchPages, prompt: readonly number[]): Promise<Load> {
  return measured(pages, async () => {
    const peer = await pages.open("transformers");
    await peer.open({ ...REAL_PEER, tokenizer: true });
    await peer.generate(firstToken(prompt));
  });
}

async function measured(pages: BenchPages, load: () => Promise<void>): Promise<Load> {
  await pages.renew();
  const start = performance.now();
  await load();
  const seconds = (performance.now() - start) / 1000;
  return { seconds, peakMb: (await pages.peakBytes()) / MB };
}
