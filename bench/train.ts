/**
 * Seconds of one gradient and AdamW step of the bundled model in Chromium (WASM, one thread) beside PyTorch's eager mode with
 * PEFT on the CPU (one thread): 16 completions of 48 tokens behind prompts of 40. PyTorch computes rows of 88 tokens in both
 * benches, logits for completions only.
 * - `train`: one prompt for the group; ours computes it once, PyTorch in every row, as TRL does.
 * - `train-rows`: 16 prompts of one completion each through the same graph, so that nothing is shared: the same rows in both
 *   (ours pads a prompt to 48 slots).
 * Before anything is timed, both must find the same loss and gradient norm.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUNDLED_MODEL } from "../src/app/worker/bundled-model.ts";
import { loraConfigSchema } from "../src/domain/grpo/config.ts";
import { loraLayout } from "../src/engine/nn/lora.ts";
import { loadModel } from "../src/engine/weights/load-model.ts";
import { writePeftAdapter } from "../src/engine/weights/peft-adapter.ts";
import { createFolderSource } from "../src/headless/folder-source.ts";
import { BENCH_FOLDER, openBenchPages, type Remote } from "./bench-page.ts";
import { type Bench, type BenchOptions, type Figure, pairedFigure } from "./figure.ts";
import { measureInTurn } from "./in-turn.ts";
import type { EngineBench, UpdateAsk, UpdateNumbers } from "./pages/engine-worker.ts";
import { openPythonPeer, type PythonPeer } from "./python-peer.ts";

const MODEL = join(import.meta.dirname, "../models", BUNDLED_MODEL);
const ROWS = 16;
const TOKENS = { promptTokens: 40, completionTokens: 48 } as const;
const PAIRS = 15;
/** Float32 on both sides: the norm relative to itself, the loss to an advantage of 1, since its terms all but cancel. */
const AGREES = 1e-3;

interface PeerUpdate {
  readonly seconds: number;
  readonly gradNorm: number;
  readonly loss: number;
}

export const train: Bench = async (options) => {
  options.print("the peer computes the prompt in every row; ours once for the group");
  return [await compareUpdates("train", { prompts: 1, group: ROWS, ...TOKENS }, options)];
};

export const trainRows: Bench = async (options) => {
  options.print("ours: 16 prompts of one completion each, so that no prompt is shared");
  return [await compareUpdates("train-rows", { prompts: ROWS, group: 1, ...TOKENS }, options)];
};

async function compareUpdates(name: string, ask: UpdateAsk, options: BenchOptions): Promise<Figure> {
  const pages = await openBenchPages();
  const peer = openPythonPeer("scripts/bench/train_peer.py", 1);
  try {
    const engine = await pages.open("engine");
    await engine.open({ kind: "wasm", threads: 1, random: null });
    const numbers = await engine.prepareUpdate(ask);
    const adapter = await writeAdapter(numbers);
    await peer.ask({ model: MODEL, adapter, threads: 1, attention: "sdpa", groups: numbers.groups });
    await sameUpdate(engine, peer, options);
    const pairs = await measureInTurn(
      async () => (await engine.update(null)).seconds,
      async () => ((await peer.ask(null)) as PeerUpdate).seconds,
      options.pairs ?? PAIRS,
    );
    return pairedFigure(name, "s", "lower", pairs);
  } finally {
    peer.close();
    await pages.close();
  }
}

/** The adapter both begin with, as PEFT loads it. */
async function writeAdapter(numbers: UpdateNumbers): Promise<string> {
  const { config, name } = await loadModel(createFolderSource(MODEL));
  const layout = loraLayout(config, loraConfigSchema.parse({}));
  const files = writePeftAdapter(Float32Array.from(numbers.adapter), layout, { name });
  const folder = join(BENCH_FOLDER, "adapter");
  mkdirSync(folder, { recursive: true });
  for (const file of ["adapter_config.json", "adapter_model.safetensors"] as const) {
    writeFileSync(join(folder, file), files[file]);
  }
  return folder;
}

/** @throws Error where the two do not compute the same thing. */
async function sameUpdate(
  engine: Remote<EngineBench>,
  peer: PythonPeer,
  { print }: BenchOptions,
): Promise<void> {
  const ours = await engine.update(null);
  const theirs = (await peer.ask(null)) as PeerUpdate;
  const differs = (a: number, b: number, scale: number): boolean => !(Math.abs(a - b) <= AGREES * scale);
  const words = `loss ${ours.loss} and ${theirs.loss}, gradient norm ${ours.gradNorm} and ${theirs.gradNorm}`;
  if (differs(ours.gradNorm, theirs.gradNorm, theirs.gradNorm) || differs(ours.loss, theirs.loss, 1)) {
    throw new Error(`the peer computes something else: ${words}`);
  }
  print(words);
}
