/**
 * Seconds of one whole GRPO step (rollouts, rewards, update) of the bundled model in Chromium's WASM beside TRL's GRPOTrainer
 * with PEFT on the CPU: one prompt of 16 tokens, 16 completions of 48, temperature 1, no truncation, no row ends early in
 * either. On one thread and on two; `step` is the one on one thread. Ours judges the scenario's whole rubric, the peer's
 * reward is a length.
 */
import { join } from "node:path";
import { BUNDLED_MODEL } from "../src/app/worker/bundled-model.ts";
import { openBenchPages, type BenchPages } from "./bench-page.ts";
import { type Bench, type BenchOptions, type Figure, pairedFigure } from "./figure.ts";
import { measureInTurn } from "./in-turn.ts";
import { openPythonPeer } from "./python-peer.ts";

const MODEL = join(import.meta.dirname, "../models", BUNDLED_MODEL);
const PROMPT = 16;
const GROUP = 16;
const TOKENS = 48;
const PAIRS = 15;

export const step: Bench = async (options) => {
  const pages = await openBenchPages();
  try {
    return [await compareSteps(pages, 2, options), await compareSteps(pages, 1, options)];
  } finally {
    await pages.close();
  }
};

async function compareSteps(pages: BenchPages, threads: number, options: BenchOptions): Promise<Figure> {
  const engine = await pages.open("engine");
  const opened = await engine.open({ kind: "wasm", threads, random: null });
  options.print(`threads: ours ${opened.threads}, the peer's ${threads}`);
  const { content } = await engine.prompt(PROMPT);
  await engine.prepareSteps({ content, completionTokens: TOKENS });
  const peer = openPythonPeer("scripts/bench/step_peer.py", threads);
  try {
    const ask = { model: MODEL, content, group: GROUP, tokens: TOKENS, threads };
    const { promptTokens } = (await peer.ask(ask)) as { promptTokens: number };
    if (promptTokens !== PROMPT) throw new Error(`the peer's prompt has ${promptTokens} tokens`);
    const peerStep = async (): Promise<number> => {
      const answer = (await peer.ask(null)) as { seconds: number; completionTokens: number };
      if (answer.completionTokens === GROUP * TOKENS) return answer.seconds;
      throw new Error(`the peer sampled ${answer.completionTokens} tokens`);
    };
    const ours = async (): Promise<number> => (await engine.steps(1)).seconds;
    const pairs = await measureInTurn(ours, peerStep, options.pairs ?? PAIRS);
    return pairedFigure(threads === 1 ? "step" : `step-${threads}-threads`, "s", "lower", pairs);
  } finally {
    peer.close();
  }
}
