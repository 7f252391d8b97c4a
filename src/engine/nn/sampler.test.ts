/** The in-graph sampler against a float64 inverse CDF, against transformers' warpers and against the distribution. */
import { afterAll, describe, expect, it } from "vitest";
import { createRng } from "../../base/rng.ts";
import {
  drawTokens,
  expectDistribution,
  repeatRow,
  SAMPLER_SETTINGS,
  samplerOracle,
  samplerSession,
} from "../../testing/sampler-checks.ts";
import { NODE_ENGINES } from "../../testing/node-engines.ts";
import { readFixture } from "../../testing/trl-fixtures.ts";
import type { Engine } from "../runtime/engine.ts";
import { clampUniform } from "./sampler.ts";

const engines = await Promise.all(NODE_ENGINES.map(async ([name, open]) => [name, await open()] as const));
afterAll(() => Promise.all(engines.map(([, engine]) => engine.dispose())));

const B = 64;
const ROUNDS = 8;

describe.each([
  { vocabSize: 96, topK: 0, topP: 1, temperature: 1 },
  { vocabSize: 1861, topK: 0, topP: 1, temperature: 0.7 }, // a prime: one block
  { vocabSize: 2048, topK: 0, topP: 1, temperature: 1 },
  { vocabSize: 2048, topK: 5, topP: 1, temperature: 1.3 },
  { vocabSize: 96, topK: 500, topP: 1, temperature: 1 }, // more than there are
  { vocabSize: 96, topK: 0, topP: 0.5, temperature: 1 },
  { vocabSize: 2048, topK: 0, topP: 0.95, temperature: 0.8 },
  { vocabSize: 2048, topK: 50, topP: 0.9, temperature: 1.2 },
])("V $vocabSize, top-k $topK, top-p $topP, T $temperature", ({ vocabSize, ...setting }) => {
  it.each(engines)(
    "draws the token of the float64 inverse CDF, but where u falls on an edge: %s",
    async (_, engine) => {
      const session = await samplerSession(engine, { batch: B, vocabSize }, setting);
      const rng = createRng(11, vocabSize, setting.topK);
      let edges = 0;
      let undecided = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const logits = Float32Array.from({ length: B * vocabSize }, () => 3 * rng.normal());
        const uniform = Float32Array.from({ length: B }, () => clampUniform(rng.next()));
        const { tokens, logProbs } = await drawTokens(session, logits, uniform, setting.temperature);
        for (let b = 0; b < B; b++) {
          const row = samplerOracle(logits.subarray(b * vocabSize, (b + 1) * vocabSize), setting);
          const token = tokens[b] ?? -1;
          expect(Math.abs((logProbs[b] ?? NaN) - row.logProb(token))).toBeLessThan(1e-4);
          if (row.margin < 1e-6) {
            undecided += 1;
            continue;
          }
          const total = row.kept.reduce((a, x) => a + x, 0);
          const target = (uniform[b] ?? NaN) * total;
          const before = row.kept.slice(0, token).reduce((a, x) => a + x, 0);
          const weight = row.kept[token] ?? 0;
          expect(weight).toBeGreaterThan(0);
          const slack = 2e-5 * total;
          expect(target).toBeGreaterThan(before - slack);
          expect(target).toBeLessThan(before + weight + slack);
          if (target < before || target >= before + weight) edges += 1;
        }
      }
      expect(edges).toBeLessThan(ROUNDS * B * 0.01);
      expect(undecided).toBeLessThan(ROUNDS * B * 0.03);
      await session.dispose();
    },
  );
});

interface Warpers {
  readonly logits: readonly (readonly number[])[];
  readonly cases: readonly {
    readonly temperature: number;
    readonly top_k: number;
    readonly top_p: number;
    readonly kept: readonly (readonly number[])[];
  }[];
}
const warpers = readFixture("transformers-warpers.json") as Warpers;

/** The tokens that uniforms on a fine grid draw from one row of logits. */
async function drawable(
  engine: Engine,
  row: readonly number[],
  setting: { readonly temperature: number; readonly topK: number; readonly topP: number },
): Promise<number[]> {
  const batch = 4096;
  const session = await samplerSession(engine, { batch, vocabSize: row.length }, setting);
  const logits = repeatRow(Float32Array.from(row), batch);
  const uniform = Float32Array.from({ length: batch }, (_, i) => (i + 0.5) / batch);
  const { tokens } = await drawTokens(session, logits, uniform, setting.temperature);
  await session.dispose();
  return [...new Set(tokens)].sort((a, b) => a - b);
}

describe.each(engines)("what may be drawn on %s", (_kind, engine) => {
  it.each(
    warpers.cases.map(
      (entry) => [`T ${entry.temperature}, k ${entry.top_k}, p ${entry.top_p}`, entry] as const,
    ),
  )("is what transformers' warpers leave: %s", async (_, { temperature, top_k, top_p, kept }) => {
    for (const [i, row] of warpers.logits.entries()) {
      expect(await drawable(engine, row, { temperature, topK: top_k, topP: top_p })).toEqual(kept[i]);
    }
  });

  it("keeps equals together, where the cut of top-p falls among them", async () => {
    const logits = (...shares: readonly number[]): number[] => shares.map(Math.log);
    const at = (topP: number, ...shares: readonly number[]): Promise<number[]> =>
      drawable(engine, logits(...shares), { temperature: 1, topK: 0, topP });
    expect(await at(0.5, 0.2, 0.4, 0.2, 0.2)).toEqual([0, 1, 2, 3]);
    expect(await at(0.39, 0.2, 0.4, 0.2, 0.2)).toEqual([1]);
    expect(await at(1e-6, 0.3, 0.2, 0.3, 0.2)).toEqual([0, 2]);
  });
});

describe.each(engines)("the sampled distribution on %s", (_kind, engine) => {
  it.each(SAMPLER_SETTINGS)(
    "passes a chi-square test over 51,200 draws: T $temperature, top-k $topK, top-p $topP",
    (setting) => expectDistribution(engine, setting),
  );

  it("takes the largest logit when greedy", async () => {
    const setting = { temperature: 1, topK: 0, topP: 1 };
    const session = await samplerSession(engine, { batch: B, vocabSize: 96, greedy: true }, setting);
    const rng = createRng(2, "greedy");
    const logits = Float32Array.from({ length: B * 96 }, () => rng.normal());
    const { tokens } = await drawTokens(session, logits, new Float32Array(B), 1);
    tokens.forEach((token, b) => {
      const row = logits.subarray(b * 96, (b + 1) * 96);
      expect(row[token]).toBe(Math.max(...row));
    });
    await session.dispose();
  });
});
