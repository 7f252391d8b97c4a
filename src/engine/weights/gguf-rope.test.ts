/** RoPE of GGUF files as llama.cpp means it, and what is refused by name before weights are read. */
import { describe, expect, it } from "vitest";
import { readGgufModel } from "./gguf-model.ts";
import { readRopeFactors, ropeConfig } from "./gguf-rope.ts";
import type { GgufHeader, GgufTensor, GgufValue } from "./gguf.ts";
import { wholeFile } from "./model-source.ts";

const of = (values: Readonly<Record<string, string | number>>, headDim = 64) =>
  ropeConfig(
    {
      where: "m.gguf",
      number: (key) => values[key] as number | undefined,
      text: (key) => values[key] as string | undefined,
    },
    headDim,
  );

describe("a GGUF file's rope", () => {
  it("is plain without scaling, or with none", () => {
    expect(of({ freq_base: 5e5, dimension_count: 64 })).toEqual({ rope_theta: 5e5 });
    expect(of({ "scaling.type": "none", "scaling.factor": 4 })).toEqual({ rope_theta: undefined });
    expect(of({ "scaling.type": "linear", "scaling.factor": 0 })).toEqual({ rope_theta: undefined });
  });

  it("is linear where a factor stands without a type, also under its old name", () => {
    const linear = { rope_scaling: { rope_type: "linear", factor: 4 } };
    expect(of({ "scaling.factor": 4 })).toMatchObject(linear);
    expect(of({ scale_linear: 4 })).toMatchObject(linear);
    expect(of({ "scaling.type": "linear", "scaling.factor": 4 })).toMatchObject(linear);
  });

  it("is yarn with its original length, ramp and attention", () => {
    const yarn = { "scaling.type": "yarn", "scaling.factor": 4, "scaling.original_context_length": 32768 };
    expect(of(yarn)["rope_scaling"]).toEqual({
      rope_type: "yarn",
      factor: 4,
      original_max_position_embeddings: 32768,
    });
    const own = { ...yarn, "scaling.yarn_beta_fast": 16, "scaling.attn_factor": 0.5 };
    expect(of(own)["rope_scaling"]).toMatchObject({
      beta_fast: 16,
      attention_factor: 0.5 * (1 + 0.1 * Math.log(4)),
    });
  });

  it.each([
    ["a rotation of half a head", { dimension_count: 32 }, "rope.dimension_count: expected 64, got 32"],
    [
      "an attention factor beside linear scaling",
      { "scaling.factor": 2, "scaling.attn_factor": 1.2 },
      "rope.scaling.attn_factor: expected 1 with linear scaling, got 1.2",
    ],
    [
      "DeepSeek's logarithm",
      { "scaling.type": "yarn", "scaling.factor": 2, "scaling.yarn_log_multiplier": 0.1 },
      "rope.scaling.yarn_log_multiplier: expected 0, got 0.1",
    ],
    [
      "half an extrapolation",
      { "scaling.type": "yarn", "scaling.factor": 2, "scaling.yarn_ext_factor": 0.5 },
      "rope.scaling.yarn_ext_factor: expected 1, got 0.5",
    ],
  ])("is refused by name with %s", (_, values, message) => {
    expect(() => of(values)).toThrow(message);
    expect(() => of(values)).toThrow(expect.objectContaining({ code: "model-unsupported" }));
  });
});

describe("rope_freqs.weight", () => {
  const tensor = (change: Partial<GgufTensor> = {}): GgufTensor => ({
    name: "rope_freqs.weight",
    shape: [2],
    storage: "F32",
    offset: 4,
    ...change,
  });
  const file = wholeFile("m.gguf", new Uint8Array(Float32Array.of(9, 1, 8).buffer));
  const read = (change?: Partial<GgufTensor>, headDim = 4) =>
    readRopeFactors([tensor(change)], file, { where: "m.gguf", headDim });

  it("gives a factor for each frequency", async () => {
    expect(await read()).toEqual([1, 8]);
    expect(await read({ name: "other" })).toBeUndefined();
  });

  it("is refused in another size or form, or with a factor that divides by nothing", async () => {
    await expect(read({}, 8)).rejects.toThrow("rope_freqs.weight: expected F32 [4], got F32 [2]");
    await expect(read({ storage: "F16" })).rejects.toThrow("got F16 [2]");
    const zero = wholeFile("m.gguf", new Uint8Array(12));
    await expect(readRopeFactors([tensor()], zero, { where: "m.gguf", headDim: 4 })).rejects.toThrow(
      "factors above 0",
    );
  });
});

describe("a GGUF file outside the family", () => {
  const open = (metadata: Record<string, GgufValue>, ...names: string[]) => {
    const header: GgufHeader = {
      metadata: new Map(Object.entries({ "general.architecture": "llama", ...metadata })),
      tensors: names.map((name) => ({ name, shape: [1], storage: "F32", offset: 0 })),
    };
    return readGgufModel(header, wholeFile("m.gguf", new Uint8Array()), "m.gguf");
  };

  it.each([
    ["another architecture", { "general.architecture": "qwen3moe" }, "", "general.architecture"],
    ["experts by its metadata", { "llama.expert_count": 8 }, "", "llama.expert_count: expected 0, got 8"],
    [
      "a sliding window in use",
      { "llama.attention.sliding_window": 8, "llama.context_length": 64 },
      "",
      "llama.attention.sliding_window: expected full attention, got 8",
    ],
    ["experts by its tensors", {}, "blk.0.ffn_gate_exps.weight", "not a mixture of experts"],
    ["fused attention", {}, "blk.0.attn_qkv.weight", "q, k and v projected apart"],
    ["a fused MLP", {}, "blk.0.ffn_gate_up.weight", "gate and up projected apart"],
    ["longrope", {}, "rope_factors_long.weight", "not longrope"],
  ])("is refused by name: %s", async (_, metadata, name, message) => {
    const opened = open(metadata, name);
    await expect(opened).rejects.toThrow(message);
    await expect(opened).rejects.toMatchObject({ code: "model-unsupported" });
    await expect(opened).rejects.toThrow(/Qwen.*Llama/);
  });
});
