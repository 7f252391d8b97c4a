/** What the sampler is held to: a float64 oracle of the weights that may be drawn, and draws on any engine. */
import { expect } from "vitest";
import { createRng } from "../base/rng.ts";
import { Graph } from "../engine/graph/ir.ts";
import { float32, type HostTensor } from "../engine/graph/tensor.ts";
import { clampUniform, sampleTokens } from "../engine/nn/sampler.ts";
import type { Engine, Session } from "../engine/runtime/engine.ts";

export interface SamplerSetting {
  readonly temperature: number;
  /** 0 = off. */
  readonly topK: number;
  /** 1 = off. */
  readonly topP: number;
}

/** Each knob alone and all together. */
export const SAMPLER_SETTINGS: readonly SamplerSetting[] = [
  { temperature: 1, topK: 0, topP: 1 },
  { temperature: 0.7, topK: 0, topP: 1 },
  { temperature: 1, topK: 8, topP: 1 },
  { temperature: 1, topK: 0, topP: 0.9 },
  { temperature: 1.3, topK: 12, topP: 0.8 },
];

export interface RowOracle {
  /** exp(x/T - max), 0 where truncated. */
  readonly kept: readonly number[];
  /** The untruncated log-probability of a token. */
  readonly logProb: (token: number) => number;
  /** How near the share above a token comes to p: float32 may decide otherwise where this is tiny. */
  readonly margin: number;
}

/** By sorting, in float64: temperature, then the k largest, then the smallest set with a share p; equals stay together. */
export function samplerOracle(logits: ArrayLike<number>, setting: SamplerSetting): RowOracle {
  const x = Array.from(logits, (value) => value / setting.temperature);
  const max = Math.max(...x);
  const weights = x.map((value) => Math.exp(value - max));
  const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
  const atLeast = setting.topK === 0 ? 0 : ([...weights].sort((a, b) => b - a)[setting.topK - 1] ?? 0); // fewer: all
  const largest = weights.map((weight) => (weight >= atLeast ? weight : 0));
  const total = sum(largest);
  const logProb = (token: number): number => (x[token] ?? NaN) - max - Math.log(sum(weights));
  if (setting.topP === 1) return { kept: largest, logProb, margin: Infinity };
  const shareAbove = new Map<number, number>();
  let above = 0;
  for (const weight of [...largest].sort((a, b) => b - a)) {
    if (!shareAbove.has(weight)) shareAbove.set(weight, above / total);
    above += weight;
  }
  return {
    kept: largest.map((weight) => ((shareAbove.get(weight) ?? 0) >= setting.topP ? 0 : weight)),
    logProb,
    margin: Math.min(...[...shareAbove.values()].map((share) => Math.abs(share - setting.topP))),
  };
}

/** A session that draws a token for each of `batch` rows. */
export function samplerSession(
  engine: Engine,
  sizes: { readonly batch: number; readonly vocabSize: number; readonly greedy?: boolean },
  setting: SamplerSetting,
): Promise<Session> {
  const { batch, vocabSize, greedy = false } = sizes;
  const graph = new Graph("sampler");
  const sampled = sampleTokens(
    graph.input("logits", "float32", [batch, vocabSize]),
    graph.input("uniform", "float32", [batch]),
    graph.input("inverseTemperature", "float32", [1]),
    { batch, vocabSize, topK: setting.topK, topP: setting.topP, greedy },
  );
  graph.output("tokens", sampled.tokens);
  graph.output("logProbs", sampled.logProbs);
  return engine.compile(graph, { name: "sampler" });
}

/** Tokens and log-probabilities for logits [B * V] and one uniform a row. */
export async function drawTokens(
  session: Session,
  logits: Float32Array,
  uniform: Float32Array,
  temperature: number,
): Promise<{ readonly tokens: Int32Array; readonly logProbs: Float32Array }> {
  const batch = uniform.length;
  const out = await session.run({
    logits: float32([batch, logits.length / batch], logits),
    uniform: float32([batch], uniform),
    inverseTemperature: float32([1], Float32Array.of(1 / temperature)),
  });
  return {
    tokens: (out["tokens"] as HostTensor).data as Int32Array,
    logProbs: (out["logProbs"] as HostTensor).data as Float32Array,
  };
}

/** Rows of one and the same logits. */
export function repeatRow(row: Float32Array, batch: number): Float32Array {
  return Float32Array.from({ length: batch * row.length }, (_, i) => row[i % row.length] ?? NaN);
}

const DRAWS = 51_200;
const BATCH = 512;

/** A chi-square test of 51,200 draws at p = .001; what is truncated is never drawn. */
export async function expectDistribution(engine: Engine, setting: SamplerSetting): Promise<void> {
  const vocabSize = 48;
  const session = await samplerSession(engine, { batch: BATCH, vocabSize }, setting);
  const rng = createRng(5, "chi-square", setting.topK);
  const row = Float32Array.from({ length: vocabSize }, () => rng.normal());
  const logits = repeatRow(row, BATCH);
  const counts = new Float64Array(vocabSize);
  for (let drawn = 0; drawn < DRAWS; drawn += BATCH) {
    const uniform = Float32Array.from({ length: BATCH }, () => clampUniform(rng.next()));
    const { tokens } = await drawTokens(session, logits, uniform, setting.temperature);
    for (const token of tokens) counts[token] = (counts[token] ?? 0) + 1;
  }
  await session.dispose();
  const { kept } = samplerOracle(row, setting);
  const total = kept.reduce((a, b) => a + b, 0);
  let chiSquare = 0;
  kept.forEach((weight, token) => {
    const expected = (DRAWS * weight) / total;
    if (weight === 0) expect(counts[token]).toBe(0);
    else chiSquare += ((counts[token] ?? 0) - expected) ** 2 / expected;
  });
  expect(chiSquare).toBeLessThan(chiSquareLimit(kept.filter((weight) => weight > 0).length - 1));
}

/** The value that a chi-square of n degrees of freedom passes with p = .001 (Wilson and Hilferty, 1931). */
function chiSquareLimit(n: number): number {
  return n * (1 - 2 / (9 * n) + 3.0902 * Math.sqrt(2 / (9 * n))) ** 3;
}
