import { describe, expect, it } from "vitest";
import { readFixtureJson } from "../../testing/model-fixtures.ts";
import { readHfConfig } from "./hf-config.ts";

/** Qwen3-0.6B's config.json as transformers 4 wrote it. */
const OLD_QWEN3 = {
  architectures: ["Qwen3ForCausalLM"],
  attention_bias: false,
  attention_dropout: 0,
  bos_token_id: 151643,
  eos_token_id: 151645,
  head_dim: 128,
  hidden_act: "silu",
  hidden_size: 1024,
  intermediate_size: 3072,
  max_position_embeddings: 40960,
  max_window_layers: 28,
  model_type: "qwen3",
  num_attention_heads: 16,
  num_hidden_layers: 28,
  num_key_value_heads: 8,
  rms_norm_eps: 1e-6,
  rope_scaling: null,
  rope_theta: 1000000,
  sliding_window: null,
  tie_word_embeddings: true,
  torch_dtype: "bfloat16",
  use_sliding_window: false,
  vocab_size: 151936,
};
const QWEN3 = {
  architecture: "qwen3",
  hiddenSize: 1024,
  layers: 28,
  heads: 16,
  kvHeads: 8,
  headDim: 128,
  mlpSize: 3072,
  vocabSize: 151936,
  ropeTheta: 1000000,
  rmsNormEps: 1e-6,
  tieWordEmbeddings: true,
  maxPositions: 40960,
};
const LLAMA = {
  model_type: "llama",
  hidden_size: 64,
  intermediate_size: 128,
  num_attention_heads: 4,
  num_hidden_layers: 2,
  vocab_size: 100,
  eos_token_id: 2,
};
const without = (config: object, ...fields: string[]): object =>
  Object.fromEntries(Object.entries(config).filter(([name]) => !fields.includes(name)));
const read = (config: unknown, generation: unknown = null) => readHfConfig(config, generation, "m");

describe("readHfConfig", () => {
  it("reads the older and the newer spelling as the same model", () => {
    const newer = {
      ...without(OLD_QWEN3, "rope_theta", "rope_scaling", "torch_dtype"),
      rope_parameters: { rope_type: "default", rope_theta: 1000000 },
      dtype: "bfloat16",
      layer_types: OLD_QWEN3.num_hidden_layers && Array<string>(28).fill("full_attention"),
    };
    expect(read(OLD_QWEN3).config).toEqual(QWEN3);
    expect(read(newer).config).toEqual(QWEN3);
  });

  it("reads what transformers 5.23 writes for each architecture", () => {
    const qwen2 = read(readFixtureJson("qwen2/config.json")).config;
    expect(qwen2).toMatchObject({ architecture: "qwen2", headDim: 8, kvHeads: 2, ropeTheta: 1e5 });
    const llama = read(readFixtureJson("llama/config.json")).config;
    expect(llama).toMatchObject({ architecture: "llama", tieWordEmbeddings: false, rmsNormEps: 1e-5 });
    expect(llama.ropeTheta).toBe(10000);
    expect(read(readFixtureJson("qwen3/config.json")).config.headDim).toBe(16);
  });

  it("takes transformers' defaults for absent fields", () => {
    expect(read(LLAMA).config).toMatchObject({
      kvHeads: 4,
      headDim: 16,
      ropeTheta: 10000,
      rmsNormEps: 1e-6,
      tieWordEmbeddings: false,
      maxPositions: 2048,
    });
    expect(read(without(OLD_QWEN3, "head_dim")).config.headDim).toBe(128);
  });

  it("reads a scaled rope in either spelling, or in both that agree", () => {
    const scaling = { type: "linear", factor: 4 } as const;
    const expected = { ...QWEN3, ropeScaling: scaling };
    const older = { ...OLD_QWEN3, rope_scaling: { type: "linear", factor: 4 } };
    const newer = { rope_type: "linear", factor: 4, rope_theta: 1000000 };
    expect(read(older).config).toEqual(expected);
    expect(read({ ...older, rope_scaling: null, rope_parameters: newer }).config).toEqual(expected);
    expect(read({ ...older, rope_parameters: newer }).config).toEqual(expected);
    expect(read({ ...OLD_QWEN3, rope_scaling: {} }).config).toEqual(QWEN3);
  });

  it("accepts a sliding window that is not in use", () => {
    const idle = { ...OLD_QWEN3, use_sliding_window: true, sliding_window: 4096, max_window_layers: 28 };
    expect(read(idle).config).toEqual(QWEN3);
    const off = {
      ...OLD_QWEN3,
      model_type: "qwen2",
      architectures: ["Qwen2ForCausalLM"],
      sliding_window: 32768,
    };
    expect(read(off).config.architecture).toBe("qwen2");
  });

  it("takes end tokens from generation_config.json first, a number or a list", () => {
    expect(read(OLD_QWEN3, { eos_token_id: [151645, 151643] }).endTokenIds).toEqual([151645, 151643]);
    expect(read(OLD_QWEN3, { eos_token_id: 5 }).endTokenIds).toEqual([5]);
    expect(read(OLD_QWEN3, { temperature: 0.6 }).endTokenIds).toEqual([151645]);
    expect(read(OLD_QWEN3).endTokenIds).toEqual([151645]);
  });

  it.each<[string, object, string]>([
    [
      "another architecture",
      { model_type: "gemma3" },
      "m/config.json: model_type: expected qwen3, qwen2, llama, got gemma3",
    ],
    ["a mixture of experts", { model_type: "qwen3_moe" }, "got qwen3_moe"],
    ["an inherited property as model type", { model_type: "toString" }, "got toString"],
    [
      "another head",
      { architectures: ["Qwen3ForSequenceClassification"] },
      "architectures: expected Qwen3ForCausalLM",
    ],
    ["another activation", { hidden_act: "gelu" }, "hidden_act: expected silu, got gelu"],
    ["unasked biases", { attention_bias: true }, "attention_bias: expected false, got true"],
    ["biases in the MLP", { mlp_bias: true }, "mlp_bias: expected false, got true"],
    [
      "a sliding window",
      { use_sliding_window: true, sliding_window: 128, max_window_layers: 4 },
      "sliding_window: expected full attention",
    ],
    [
      "sliding layers",
      { layer_types: Array<string>(28).fill("sliding_attention") },
      "sliding_window: expected full",
    ],
    ["quantised weights", { quantization_config: { quant_method: "gptq" } }, "quantization_config"],
    [
      "dynamic rope scaling",
      { rope_scaling: { type: "dynamic", factor: 2 } },
      "rope_scaling: expected rope_type default, linear, llama3, yarn, got dynamic",
    ],
    ["longrope", { rope_scaling: { rope_type: "longrope", long_factor: [1] } }, "got longrope"],
    [
      "another rope in the newer spelling",
      { rope_parameters: { rope_type: "proportional", rope_theta: 1e6 } },
      "rope_parameters: expected rope_type default, linear, llama3, yarn, got proportional",
    ],
    ["an inherited property as rope type", { rope_scaling: { type: "toString" } }, "got toString"],
    [
      "a rope for each layer type",
      { rope_parameters: { full_attention: { rope_theta: 1e6 } } },
      "another for full_attention",
    ],
    ["a partial rotation", { partial_rotary_factor: 0.5 }, "partial_rotary_factor: expected 1, got 0.5"],
    [
      "a partial rotation of the scaled rope",
      { rope_scaling: { type: "linear", factor: 2, partial_rotary_factor: 0.25 } },
      "rope_scaling: partial_rotary_factor: expected 1, got 0.25",
    ],
  ])("refuses %s by name and says what is supported", (_name, change, message) => {
    const act = () => read({ ...OLD_QWEN3, ...change });
    expect(act).toThrow(message);
    expect(act).toThrow("Supported: Qwen3, Qwen2 and Llama");
    expect(act).toThrow(expect.objectContaining({ code: "model-unsupported" }));
  });

  it.each<[string, unknown, string]>([
    ["no object", "text", "m/config.json"],
    ["no size", without(OLD_QWEN3, "hidden_size"), "m/config.json: hidden_size"],
    ["a size of zero", { ...OLD_QWEN3, vocab_size: 0 }, "m/config.json: vocab_size"],
    ["layers without end", { ...OLD_QWEN3, num_hidden_layers: 1e9 }, "more than 1280 layers"],
    ["a size as text", { ...OLD_QWEN3, num_hidden_layers: "28" }, "num_hidden_layers"],
    [
      "key heads that do not divide",
      { ...OLD_QWEN3, num_key_value_heads: 3 },
      "expected a divisor of 16 attention heads, got 3",
    ],
    ["an odd head", { ...OLD_QWEN3, head_dim: 7 }, "head_dim: expected an even number, got 7"],
    [
      "layer types that are too few",
      { ...OLD_QWEN3, layer_types: ["full_attention"] },
      "layer_types: expected 28 entries, got 1",
    ],
    ["no end token", without(OLD_QWEN3, "eos_token_id"), "eos_token_id: expected an end token"],
    [
      "an end token outside",
      { ...OLD_QWEN3, eos_token_id: 151936 },
      "expected ids below vocab_size 151936, got 151936",
    ],
    [
      "a scaled rope without its factor",
      { ...OLD_QWEN3, rope_scaling: { type: "linear" } },
      "rope_scaling: factor",
    ],
    [
      "a llama3 rope whose bounds are the wrong way round",
      {
        ...OLD_QWEN3,
        rope_scaling: { rope_type: "llama3", factor: 8, low_freq_factor: 4, high_freq_factor: 1 },
      },
      "rope_scaling: high_freq_factor: expected more than low_freq_factor 4, got 1",
    ],
    [
      "two spellings of rope that contradict each other",
      {
        ...OLD_QWEN3,
        rope_scaling: { type: "linear", factor: 2 },
        rope_parameters: { rope_type: "linear", factor: 4 },
      },
      "rope_scaling: expected the same as rope_parameters, got another RoPE",
    ],
  ])("calls %s broken", (_name, config, message) => {
    expect(() => read(config)).toThrow(message);
    expect(() => read(config)).toThrow(expect.objectContaining({ code: "model-broken" }));
  });
});
