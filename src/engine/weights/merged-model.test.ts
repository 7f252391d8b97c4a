import { describe, expect, it } from "vitest";
import { FIXTURE_MODELS, readModelFixture } from "../../testing/model-fixtures.ts";
import { float32 } from "../graph/tensor.ts";
import { loraLayout } from "../nn/lora.ts";
import type { ModelConfig } from "../nn/model-config.ts";
import { dequantizeBlocks, quantizeBlocks, type WeightTensor } from "../graph/block-tensor.ts";
import { readHfConfig } from "./hf-config.ts";
import { writeHfConfig } from "./hf-config-file.ts";
import { loadedDtype, mergedBytes, mergedModelFiles, mergedSafetensors } from "./merged-model.ts";
import { parseSafetensors, toFloat32 } from "./safetensors.ts";

const Q = "model.layers.1.self_attn.q_proj.weight";
const NORM = "model.norm.weight";

/** All parts as one file, read by the strict reader. */
function merged(
  name: "qwen3" | "llama",
  dtype: "F32" | "BF16",
  change: Readonly<Record<string, WeightTensor>> = {},
) {
  const { config, weights, lora, adapter } = readModelFixture(name);
  const layout = loraLayout(config, lora);
  const request = {
    config,
    weights: new Map<string, WeightTensor>([...weights, ...Object.entries(change)]),
    layout,
    adapter,
    dtype,
  };
  const parts = [...mergedSafetensors(request)].map((part) => part.slice());
  const file = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((at, part) => (file.set(part, at), at + part.length), 0);
  expect(file.length).toBe(mergedBytes(request));
  const { entries } = parseSafetensors(file, name);
  const tensor = (key: string) => toFloat32(entries.get(key) ?? expect.fail(key), name).data as Float32Array;
  return { entries, tensor, layout, adapter, weights };
}

/** W + s B A of layer 1's q_proj in float64. */
function expected(base: Float32Array, { layout, adapter }: ReturnType<typeof merged>): number[] {
  const [a, b] = layout.entries.filter(({ layer, module }) => layer === 1 && module === "q_proj");
  if (a === undefined || b === undefined) throw new Error("no q_proj");
  const [r, inputs] = a.shape;
  return Array.from(base, (value, at) => {
    const [row, column] = [Math.floor(at / inputs), at % inputs];
    let sum = 0;
    for (let k = 0; k < r; k++)
      sum += (adapter[b.offset + row * r + k] ?? 0) * (adapter[a.offset + k * inputs + column] ?? 0);
    return value + layout.scale * sum;
  });
}

const worst = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((most, x, i) => Math.max(most, Math.abs(x - (b[i] ?? Number.NaN))), 0);

describe("mergedSafetensors", () => {
  it("adds the scaled product to the adapted weights alone, and leaves the base as it was", () => {
    const before = readModelFixture("qwen3").weights;
    const all = merged("qwen3", "F32");
    const base = all.weights.get(Q)?.data as Float32Array;
    expect(worst(all.tensor(Q), expected(base, all))).toBeLessThan(1e-6);
    expect(worst(all.tensor(Q), base)).toBeGreaterThan(0.05);
    expect(all.tensor(NORM)).toEqual(before.get(NORM)?.data);
    expect(all.weights.get(Q)).toEqual(before.get(Q));
  });

  it("keeps a tied head tied and writes one of its own", () => {
    expect(merged("qwen3", "F32").entries.has("lm_head.weight")).toBe(false);
    expect(merged("llama", "F32").entries.has("lm_head.weight")).toBe(true);
  });

  it("rounds to the nearest BF16, ties to even", () => {
    const ties = Float32Array.from({ length: 32 }, (_, i) => 1 + (2 * i + 1) / 256);
    const { tensor } = merged("qwen3", "BF16", { [NORM]: float32([32], ties) });
    const even = Array.from(ties, (x) => {
      const down = x - 1 / 256;
      return ((down - 1) * 128) % 2 === 0 ? down : x + 1 / 256;
    });
    expect([...tensor(NORM)]).toEqual(even);
  });

  it("takes a base in blocks at the numbers that it stands for", () => {
    const { weights } = readModelFixture("qwen3");
    const blocks = quantizeBlocks(weights.get(Q)?.data as Float32Array, [64, 32], 4);
    const all = merged("qwen3", "F32", { [Q]: blocks });
    expect(worst(all.tensor(Q), expected(dequantizeBlocks(blocks), all))).toBeLessThan(1e-6);
  });
});

describe("loadedDtype", () => {
  it("is BF16 where it holds every number of the base, else F32", () => {
    const { weights } = readModelFixture("qwen3");
    expect(loadedDtype(weights)).toBe("F32");
    const half = new Map(
      [...weights].map(([name, { dims }]) => [
        name,
        float32(dims, new Float32Array(dims.reduce((a, b) => a * b, 1)).fill(1.5)),
      ]),
    );
    expect(loadedDtype(half)).toBe("BF16");
    expect(
      loadedDtype(
        new Map<string, WeightTensor>([...half, [Q, quantizeBlocks(new Float32Array(64), [2, 32], 8)]]),
      ),
    ).toBe("F32");
  });
});

describe("the files beside it", () => {
  const { config } = readModelFixture("qwen3");
  const scaled: readonly ModelConfig["ropeScaling"][] = [
    { type: "linear", factor: 4 },
    { type: "llama3", factor: 8, lowFreqFactor: 1, highFreqFactor: 4, originalMaxPositions: 64 },
    {
      type: "yarn",
      factor: 2,
      originalMaxPositions: 64,
      betaFast: 30,
      betaSlow: 2,
      truncate: false,
      attentionFactor: 1.1,
    },
  ];

  it.each(FIXTURE_MODELS)("say the shape that was read: %s", (name) => {
    const own = readModelFixture(name).config;
    const files = writeHfConfig(own, [1], "float32");
    const read = readHfConfig(
      JSON.parse(files["config.json"]),
      JSON.parse(files["generation_config.json"]),
      name,
    );
    expect(read.config).toEqual(own);
    expect(read.endTokenIds).toEqual([1]);
  });

  it.each(scaled.map((ropeScaling) => [ropeScaling?.type, ropeScaling] as const))(
    "say RoPE's scaling: %s",
    (_, ropeScaling) => {
      const own = { ...config, ...(ropeScaling ? { ropeScaling } : {}) };
      const { "config.json": text } = writeHfConfig(own, [1, 2], "bfloat16");
      const read = readHfConfig(JSON.parse(text), null, "m");
      expect(read.config).toEqual(own);
      expect(read.endTokenIds).toEqual([1, 2]);
    },
  );

  it("are refused where a config has no words for the model", () => {
    const own = { ...config, ropeFrequencyFactors: [1, 2] };
    expect(() => writeHfConfig(own, [1], "float32")).toThrow("rope_freqs.weight");
  });

  it("hold the tokenizer's texts, and no file that the model does not have", () => {
    const tokenizer = { tokenizerJson: "{}", tokenizerConfigJson: null, chatTemplate: "x" };
    const files = mergedModelFiles(config, [1], tokenizer, "BF16");
    expect(Object.keys(files)).toEqual([
      "config.json",
      "generation_config.json",
      "tokenizer.json",
      "chat_template.jinja",
    ]);
    expect(JSON.parse(files["config.json"] ?? "")).toMatchObject({ dtype: "bfloat16" });
  });
});
