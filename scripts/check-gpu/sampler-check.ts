/** The sampler on an engine against the distribution it should have, by chi-square. */
import { createRng } from "../../src/base/rng.ts";
import { Graph } from "../../src/engine/graph/ir.ts";
import { float32, type HostTensor } from "../../src/engine/graph/tensor.ts";
import { clampUniform, sampleTokens } from "../../src/engine/nn/sampler.ts";
import type { Engine } from "../../src/engine/runtime/engine.ts";

const B = 256;
const V = 48;

export interface SamplerCase {
  readonly temperature: number;
  readonly topK: number;
  readonly topP: number;
}

const CASES: readonly SamplerCase[] = [
  { temperature: 1, topK: 0, topP: 1 },
  { temperature: 0.7, topK: 0, topP: 1 },
  { temperature: 1, topK: 7, topP: 1 },
  { temperature: 1, topK: 0, topP: 0.8 },
];

export interface SamplerResult extends SamplerCase {
  readonly draws: number;
  readonly chiSquare: number;
  /** Exceeded by one honest sampler in a thousand. */
  readonly limit: number;
  /** Draws of tokens that top-k or top-p leave out. */
  readonly outside: number;
}

/** Draws at least so many tokens in each case. */
export async function checkSampler(engine: Engine, draws: number): Promise<SamplerResult[]> {
  const results: SamplerResult[] = [];
  for (const each of CASES) results.push(await drawCase(engine, each, Math.ceil(draws / B)));
  return results;
}

async function drawCase(engine: Engine, options: SamplerCase, rounds: number): Promise<SamplerResult> {
  const { temperature, topK, topP } = options;
  const graph = new Graph("sampler");
  const sampled = sampleTokens(
    graph.input("logits", "float32", [B, V]),
    graph.input("uniform", "float32", [B]),
    graph.input("inverseTemperature", "float32", [1]),
    { batch: B, vocabSize: V, topK, topP, greedy: false },
  );
  graph.output("tokens", sampled.tokens);
  const session = await engine.compile(graph, { name: "sampler" });
  const rng = createRng(5, "gpu check", temperature, topK, topP);
  const one = Float32Array.from({ length: V }, () => 1.5 * rng.normal());
  const counts = new Float64Array(V);
  for (let round = 0; round < rounds; round++) {
    const out = await session.run({
      logits: float32(
        [B, V],
        Float32Array.from({ length: B * V }, (_, i) => one[i % V] ?? 0),
      ),
      uniform: float32(
        [B],
        Float32Array.from({ length: B }, () => clampUniform(rng.next())),
      ),
      inverseTemperature: float32([1], Float32Array.of(1 / temperature)),
    });
    for (const token of (out["tokens"] as HostTensor).data as Int32Array) {
      counts[token] = (counts[token] ?? 0) + 1;
    }
  }
  await session.dispose();
  return { ...options, draws: rounds * B, ...chiSquare(counts, probabilities(one, options)) };
}

/** In float64: softmax(x / T), then the k largest, then the smallest set that holds a share p. */
function probabilities(logits: Float32Array, { temperature, topK, topP }: SamplerCase): number[] {
  const weights = Array.from(logits, (x) => Math.exp(x / temperature));
  const order = [...weights.keys()].sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0));
  const kept = topK === 0 ? order : order.slice(0, topK);
  const sum = (ids: readonly number[]): number => ids.reduce((total, id) => total + (weights[id] ?? 0), 0);
  const enough = topP * sum(kept);
  const nucleus = kept.filter((_, rank) => sum(kept.slice(0, rank)) < enough);
  const total = sum(nucleus);
  return weights.map((weight, id) => (nucleus.includes(id) ? weight / total : 0));
}

function chiSquare(
  counts: Float64Array,
  expected: readonly number[],
): Pick<SamplerResult, "chiSquare" | "limit" | "outside"> {
  const draws = counts.reduce((a, b) => a + b, 0);
  let statistic = 0;
  let outside = 0;
  expected.forEach((p, token) => {
    const count = counts[token] ?? 0;
    if (p === 0) outside += count;
    else statistic += (count - draws * p) ** 2 / (draws * p);
  });
  const degrees = expected.filter((p) => p > 0).length - 1;
  return { chiSquare: statistic, limit: chiSquareLimit(degrees), outside };
}

/** The .999 quantile of chi-square (Wilson and Hilferty 1931). */
function chiSquareLimit(degrees: number): number {
  const spread = 2 / (9 * degrees);
  return degrees * (1 - spread + 3.0902 * Math.sqrt(spread)) ** 3;
}
