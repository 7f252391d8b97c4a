/** The sampler on WASM against its distribution, and on WebGPU (here a software adapter) token for token against WASM. */
import { afterAll, expect, test } from "vitest";
import { createRng } from "../../base/rng.ts";
import { listenForPlacements } from "../../testing/placement.ts";
import {
  drawTokens,
  expectDistribution,
  SAMPLER_SETTINGS,
  samplerSession,
  type SamplerSetting,
} from "../../testing/sampler-checks.ts";
import type { Engine } from "../runtime/engine.ts";
import { openBrowserEngine } from "../runtime/ort-browser.ts";
import { clampUniform } from "./sampler.ts";

const placements = listenForPlacements();
const wasm = await openBrowserEngine("wasm", { threads: 1, verbose: true });
const gpu = await openBrowserEngine("webgpu", { verbose: true });
afterAll(async () => {
  await wasm.dispose();
  await gpu.dispose();
});

test.each(SAMPLER_SETTINGS)(
  "51,200 draws on WASM pass a chi-square test: T $temperature, top-k $topK, top-p $topP",
  (setting) => expectDistribution(wasm, setting),
);

/** 512 draws from random logits over 2,048 tokens. */
async function draws(
  engine: Engine,
  setting: SamplerSetting,
): Promise<{ tokens: number[]; logProbs: number[] }> {
  const [batch, vocabSize] = [128, 2048];
  const session = await samplerSession(engine, { batch, vocabSize }, setting);
  const rng = createRng(8, "token for token");
  const all = { tokens: [] as number[], logProbs: [] as number[] };
  for (let round = 0; round < 4; round++) {
    const logits = Float32Array.from({ length: batch * vocabSize }, () => 3 * rng.normal());
    const uniform = Float32Array.from({ length: batch }, () => clampUniform(rng.next()));
    const { tokens, logProbs } = await drawTokens(session, logits, uniform, setting.temperature);
    all.tokens.push(...tokens);
    all.logProbs.push(...logProbs);
  }
  await session.dispose();
  return all;
}

test.each(SAMPLER_SETTINGS)(
  "512 draws on WebGPU are WASM's, wholly on the GPU: T $temperature, top-k $topK, top-p $topP",
  async (setting) => {
    const expected = await draws(wasm, setting);
    placements.take();
    const actual = await draws(gpu, setting);
    expect(new Set(placements.take().flatMap(Object.keys))).toEqual(new Set(["WebGpuExecutionProvider"]));
    expect(actual.tokens).toHaveLength(512);
    expect(actual.tokens).toEqual(expected.tokens);
    actual.logProbs.forEach((value, i) => {
      expect(Math.abs(value - (expected.logProbs[i] ?? NaN))).toBeLessThan(1e-4);
    });
  },
);
