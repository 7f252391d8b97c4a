/** The in-graph sampler against a float64 inverse CDF and against the distribution itself. */
import { afterAll, describe, expect, it } from "vitest";
import { createRng } from "../../base/rng.ts";
import { Graph } from "../graph/ir.ts";
import { toOnnx } from "../graph/onnx.ts";
import { float32, type HostTensor } from "../graph/tensor.ts";
import type { Session } from "../runtime/engine.ts";
import { openNodeEngine } from "../runtime/ort-node.ts";
import { clampUniform, sampleTokens } from "./sampler.ts";

const engine = openNodeEngine(1);
afterAll(() => engine.dispose());

const B = 64;

async function samplerSession(vocabSize: number, topK: number, greedy = false): Promise<Session> {
  const graph = new Graph("sampler");
  const sampled = sampleTokens(
    graph.input("logits", "float32", [B, vocabSize]),
    graph.input("uniform", "float32", [B]),
    graph.input("inverseTemperature", "float32", [1]),
    { batch: B, vocabSize, topK, topP: 1, greedy },
  );
  graph.output("tokens", sampled.tokens);
  graph.output("logProbs", sampled.logProbs);
  return engine.load(toOnnx(graph), { name: "sampler" });
}

/** exp(x/T - max) with everything outside the top k at 0, and log of the untruncated total. */
function weightsOf(logits: Float32Array, temperature: number, topK: number) {
  const x = Array.from(logits, (value) => value / temperature);
  const max = Math.max(...x);
  const all = x.map((value) => Math.exp(value - max));
  const threshold = topK === 0 ? -Infinity : ([...x].sort((a, b) => b - a)[topK - 1] ?? NaN);
  const kept = all.map((weight, i) => ((x[i] ?? NaN) >= threshold ? weight : 0));
  return { kept, logProb: (i: number) => (x[i] ?? NaN) - max - Math.log(all.reduce((a, b) => a + b, 0)) };
}

describe.each([
  { vocabSize: 96, topK: 0, temperature: 1 },
  { vocabSize: 1861, topK: 0, temperature: 0.7 }, // a prime: one block
  { vocabSize: 2048, topK: 0, temperature: 1 },
  { vocabSize: 2048, topK: 5, temperature: 1.3 },
])("V $vocabSize, top-k $topK, T $temperature", ({ vocabSize, topK, temperature }) => {
  it("draws the token of the float64 inverse CDF, but where u falls on an edge", async () => {
    const session = await samplerSession(vocabSize, topK);
    const rng = createRng(11, vocabSize, topK);
    let edges = 0;
    for (let round = 0; round < 20; round++) {
      const logits = Float32Array.from({ length: B * vocabSize }, () => 3 * rng.normal());
      const uniform = Float32Array.from({ length: B }, () => clampUniform(rng.next()));
      const out = await session.run({
        logits: float32([B, vocabSize], logits),
        uniform: float32([B], uniform),
        inverseTemperature: float32([1], Float32Array.of(1 / temperature)),
      });
      const tokens = (out["tokens"] as HostTensor).data as Int32Array;
      const logProbs = (out["logProbs"] as HostTensor).data as Float32Array;
      for (let b = 0; b < B; b++) {
        const row = weightsOf(logits.subarray(b * vocabSize, (b + 1) * vocabSize), temperature, topK);
        const token = tokens[b] ?? -1;
        const target = (uniform[b] ?? NaN) * row.kept.reduce((a, x) => a + x, 0);
        const before = row.kept.slice(0, token).reduce((a, x) => a + x, 0);
        const weight = row.kept[token] ?? 0;
        expect(weight).toBeGreaterThan(0);
        const slack = 2e-5 * row.kept.reduce((a, x) => a + x, 0);
        expect(target).toBeGreaterThan(before - slack);
        expect(target).toBeLessThan(before + weight + slack);
        if (target < before || target >= before + weight) edges += 1;
        expect(Math.abs((logProbs[b] ?? NaN) - row.logProb(token))).toBeLessThan(1e-4);
      }
    }
    expect(edges).toBeLessThan(20 * B * 0.01);
    await session.dispose();
  });
});

describe("the sampled distribution", () => {
  it("passes a chi-square test over 51,200 draws", async () => {
    const vocabSize = 48;
    const session = await samplerSession(vocabSize, 0);
    const rng = createRng(5, "chi-square");
    const one = Float32Array.from({ length: vocabSize }, () => rng.normal());
    const logits = Float32Array.from({ length: B * vocabSize }, (_, i) => one[i % vocabSize] ?? 0);
    const counts = new Float64Array(vocabSize);
    const draws = 51_200;
    for (let round = 0; round < draws / B; round++) {
      const uniform = Float32Array.from({ length: B }, () => clampUniform(rng.next()));
      const out = await session.run({
        logits: float32([B, vocabSize], logits),
        uniform: float32([B], uniform),
        inverseTemperature: float32([1], Float32Array.of(1)),
      });
      for (const token of (out["tokens"] as HostTensor).data as Int32Array)
        counts[token] = (counts[token] ?? 0) + 1;
    }
    const { kept } = weightsOf(one, 1, 0);
    const total = kept.reduce((a, b) => a + b, 0);
    const chiSquare = kept.reduce((sum, weight, i) => {
      const expected = (draws * weight) / total;
      return sum + ((counts[i] ?? 0) - expected) ** 2 / expected;
    }, 0);
    expect(chiSquare).toBeLessThan(82.7); // 47 degrees of freedom, p = .001
    await session.dispose();
  });

  it("takes the largest logit when greedy", async () => {
    const session = await samplerSession(96, 0, true);
    const rng = createRng(2, "greedy");
    const logits = Float32Array.from({ length: B * 96 }, () => rng.normal());
    const out = await session.run({
      logits: float32([B, 96], logits),
      inverseTemperature: float32([1], Float32Array.of(1)),
    });
    const tokens = (out["tokens"] as HostTensor).data as Int32Array;
    tokens.forEach((token, b) => {
      const row = logits.subarray(b * 96, (b + 1) * 96);
      expect(row[token]).toBe(Math.max(...row));
    });
    await session.dispose();
  });
});
