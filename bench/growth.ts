/**
 * How cost grows, on random models in Chromium's WASM, one thread: a rollout's cost per token over 32 to 512 tokens of
 * context, and a whole policy step (rollout, gradient, AdamW) over batch, layers and vocabulary. The figure is the exponent
 * of a power law fitted to medians, with the fit's points printed.
 */
import { openBenchPages, type BenchPages, type Remote } from "./bench-page.ts";
import { type Bench, type BenchOptions, type Figure, plainFigure } from "./figure.ts";
import { warmUp } from "./in-turn.ts";
import type { EngineBench } from "./pages/engine-worker.ts";
import type { ModelSize } from "./pages/random-model.ts";
import { fitPowerLaw, median } from "./statistics.ts";

const RUNS = 5;
const CONTEXTS = [32, 64, 128, 256, 512];
const BATCHES = [4, 8, 16, 32];
const LAYERS = [2, 4, 8, 16];
const VOCABULARIES = [2048, 4096, 8192, 16384];
const GROUP = 16;
const PROMPT = 16;
const TOKENS = 24;

interface StepSize {
  readonly model: ModelSize;
  readonly group: number;
}

export const growth: Bench = async (options) => {
  const pages = await openBenchPages();
  const stepOver = (
    name: string,
    sizes: readonly number[],
    at: (size: number) => StepSize,
  ): Promise<Figure> =>
    fitted(`growth-step-${name}`, sizes, options, (size, runs) => stepSeconds(pages, at(size), runs));
  try {
    return [
      await stepOver("batch", BATCHES, (group) => ({ model: {}, group })),
      await stepOver("layers", LAYERS, (layers) => ({ model: { layers }, group: GROUP })),
      await stepOver("vocabulary", VOCABULARIES, (vocabSize) => ({ model: { vocabSize }, group: GROUP })),
      await fitted("growth", CONTEXTS, options, (context, runs) => tokenSeconds(pages, context, runs)),
    ];
  } finally {
    await pages.close();
  }
};

async function fitted(
  name: string,
  sizes: readonly number[],
  { pairs, print }: BenchOptions,
  measure: (size: number, runs: number) => Promise<number[]>,
): Promise<Figure> {
  const points: [number, number][] = [];
  for (const size of sizes) points.push([size, median(await measure(size, pairs ?? RUNS))]);
  print(`${name}: ${points.map(([x, y]) => `${x}: ${(1000 * y).toPrecision(3)} ms`).join(", ")}`);
  return plainFigure(name, "exponent", [fitPowerLaw(points).exponent]);
}

async function openRandom(pages: BenchPages, random: ModelSize): Promise<Remote<EngineBench>> {
  const engine = await pages.open("engine");
  await engine.open({ kind: "wasm", threads: 1, random });
  return engine;
}

const ids = (length: number): number[] => Array.from({ length }, (_, i) => 3 + (i % 1000));

/** Seconds a token (of one row) once so many tokens of context lie behind it: the prompt's own cost is taken off. */
async function tokenSeconds(pages: BenchPages, context: number, runs: number): Promise<number[]> {
  const engine = await openRandom(pages, {});
  const run = async (maxTokens: number): Promise<number> => {
    const ask = { prompt: ids(context), groupSize: GROUP, maxTokens, temperature: 1, adapter: true };
    return (await engine.rollout(ask)).seconds;
  };
  await warmUp(() => run(TOKENS));
  const values = [];
  for (let i = 0; i < runs; i++) values.push(((await run(TOKENS + 1)) - (await run(1))) / (TOKENS * GROUP));
  await engine.close(null);
  return values;
}

async function stepSeconds(pages: BenchPages, { model, group }: StepSize, runs: number): Promise<number[]> {
  const engine = await openRandom(pages, model);
  const update = { prompts: 1, group, promptTokens: PROMPT, completionTokens: TOKENS };
  await engine.prepareUpdate(update);
  const ask = { prompt: ids(PROMPT), groupSize: group, maxTokens: TOKENS, temperature: 1, adapter: true };
  const run = async (): Promise<number> =>
    (await engine.rollout(ask)).seconds + (await engine.update(null)).seconds;
  await warmUp(run);
  const values = [];
  for (let i = 0; i < runs; i++) values.push(await run());
  await engine.close(null);
  return values;
}
