import { describe, expect, it } from "vitest";
import { PlaygroundError } from "../../base/errors.ts";
import { FIXTURE_MODELS, readFixture, readModelFixture } from "../../testing/model-fixtures.ts";
import { float32, type HostTensor } from "../graph/tensor.ts";
import { loraLayout, type LoraSettings } from "../nn/lora.ts";
import { writePeftAdapter } from "./peft-adapter.ts";
import { readPeftAdapter } from "./peft-import.ts";
import { parseSafetensors, toFloat32, writeSafetensors } from "./safetensors.ts";

const { config: model, lora: settings, adapter } = readModelFixture("qwen3");
const OURS = writePeftAdapter(adapter, loraLayout(model, settings), { name: "someone/base" });
const KEY = "base_model.model.model.layers.1.self_attn.q_proj.lora_A.weight";

/** The adapter with some of its config's fields and tensors replaced; a tensor that is null is left out. */
function folder(
  fields: Readonly<Record<string, unknown>> = {},
  tensors: Readonly<Record<string, HostTensor | null>> = {},
  rename: (key: string) => string = (key) => key,
) {
  const own = JSON.parse(OURS["adapter_config.json"]) as object;
  const { entries } = parseSafetensors(OURS["adapter_model.safetensors"], "ours");
  const kept = new Map<string, HostTensor>();
  for (const [key, entry] of entries) kept.set(rename(key), toFloat32(entry, "ours"));
  for (const [key, tensor] of Object.entries(tensors)) {
    if (tensor === null) kept.delete(key);
    else kept.set(key, tensor);
  }
  return {
    name: "theirs",
    config: new TextEncoder().encode(JSON.stringify({ ...own, ...fields })),
    weights: writeSafetensors(kept),
  };
}

function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof PlaygroundError && error.code === "adapter-refused") return error.message;
    throw error;
  }
  throw new Error("it was taken");
}

describe("readPeftAdapter", () => {
  it.each(FIXTURE_MODELS)("gives back what PEFT wrote of all linears of %s", (name) => {
    const { config, lora, adapter: flat } = readModelFixture(name);
    const read = readPeftAdapter(
      {
        name,
        config: readFixture(`${name}/adapter/adapter_config.json`),
        weights: readFixture(`${name}/adapter/adapter_model.safetensors`),
      },
      config,
    );
    expect(read.values).toEqual(flat);
    expect(read.lora).toEqual({ ...lora, use_rslora: false });
    expect(read.baseModel).toBe(name);
  });

  it.each<[string, LoraSettings]>([
    ["some linears, in the order of ours", { r: 3, lora_alpha: 5, target_modules: ["down_proj", "k_proj"] }],
    ["rank-stabilised", { r: 2, lora_alpha: 4, target_modules: ["q_proj"], use_rslora: true }],
  ])("reads what we write: %s", (_, lora) => {
    const layout = loraLayout(model, lora);
    const values = Float32Array.from({ length: layout.size }, (_x, i) => i);
    const files = writePeftAdapter(values, layout, { name: "base" });
    const read = readPeftAdapter(
      {
        name: "ours",
        config: new TextEncoder().encode(files["adapter_config.json"]),
        weights: files["adapter_model.safetensors"],
      },
      model,
    );
    expect(read.values).toEqual(values);
    expect(loraLayout(model, read.lora).scale).toBe(layout.scale);
    expect([...read.lora.target_modules].sort()).toEqual([...lora.target_modules].sort());
  });

  it.each<[string, (key: string) => string]>([
    ["an adapter's name before .weight", (key) => key.replace(/\.weight$/, ".default.weight")],
    ["no base_model.model", (key) => key.replace("base_model.model.", "")],
  ])("takes keys with %s", (_, rename) => {
    expect(readPeftAdapter(folder({}, {}, rename), model).values).toEqual(adapter);
  });

  it("takes the modules from the tensors where the config has a pattern for them, or a path", () => {
    expect(readPeftAdapter(folder({ target_modules: ".*_proj" }), model).lora.target_modules).toHaveLength(7);
    const paths = settings.target_modules.map((module) => `x.${module}`);
    expect(readPeftAdapter(folder({ target_modules: paths }), model).values).toEqual(adapter);
  });

  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ["another method", { peft_type: "LOHA" }, "peft_type: expected LORA, got LOHA"],
    ["DoRA", { use_dora: true }, "use_dora: expected plain LoRA"],
    ["biases", { bias: "lora_only" }, "bias: expected none: biases are not trained, got lora_only"],
    ["whole modules", { modules_to_save: ["lm_head"] }, "modules_to_save: expected adapters alone"],
    [
      "a target that is no linear of ours",
      { target_modules: ["lm_head"] },
      "target_modules: expected some of",
    ],
    [
      "ranks by module",
      { rank_pattern: { q_proj: 4 } },
      'rank_pattern: expected one rank for all modules, got {"q_proj":4}',
    ],
    ["alphas by module", { alpha_pattern: { q_proj: 4 } }, "alpha_pattern: expected one lora_alpha"],
    ["some layers", { layers_to_transform: [0] }, "layers_to_transform: expected an adapter on every layer"],
    ["a bias of its own", { lora_bias: true }, "lora_bias"],
    ["a start that changes the base", { init_lora_weights: "pissa" }, "init_lora_weights"],
    [
      "a field of the future",
      { use_warp: { speed: 9 } },
      'use_warp: expected a field known here, got {"speed":9}',
    ],
    ["no rank", { r: 0 }, "adapter_config.json: r"],
    ["another rank than the tensors'", { r: 5 }, "lora_A.weight: expected [5, 32]"],
    [
      "fewer modules than the tensors'",
      { target_modules: ["q_proj"] },
      "k_proj.lora_A.weight: expected only q_proj of 2 layers, got a tensor more",
    ],
  ])("refuses %s by the field's name", (_, fields, message) => {
    expect(refusal(() => readPeftAdapter(folder(fields), model))).toContain(message);
  });

  it("refuses a file without a tensor, also where the config has a pattern for the modules", () => {
    const empty = { ...folder({ target_modules: "all-linear" }), weights: writeSafetensors(new Map()) };
    expect(refusal(() => readPeftAdapter(empty, model))).toContain("got no tensor at all");
  });

  it.each<[string, Readonly<Record<string, HostTensor | null>>, string]>([
    [
      "half a pair",
      { [KEY]: null },
      `${KEY}: expected [4, 32], rank by inputs of the loaded model, got none`,
    ],
    [
      "another base's shape",
      { [KEY]: float32([4, 30], new Float32Array(120)) },
      `${KEY}: expected [4, 32], rank by inputs of the loaded model, got [4, 30]`,
    ],
    [
      "NaN",
      { [KEY]: float32([4, 32], new Float32Array(128).fill(NaN)) },
      `${KEY}: expected finite numbers in F32, F16 or BF16, got NaN or infinity`,
    ],
    [
      "another dtype",
      { [KEY]: { dtype: "int32", dims: [4, 32], data: new Int32Array(128) } },
      `${KEY}: expected finite numbers in F32, F16 or BF16, got I32`,
    ],
    [
      "DoRA's magnitudes",
      {
        "base_model.model.model.layers.0.self_attn.q_proj.lora_magnitude_vector": float32(
          [1],
          Float32Array.of(1),
        ),
      },
      "lora_magnitude_vector: expected lora_A and lora_B",
    ],
    [
      "an embedding",
      { "base_model.model.model.embed_tokens.lora_embedding_A": float32([1], Float32Array.of(1)) },
      "lora_embedding_A",
    ],
    [
      "a layer too many",
      { [KEY.replace("layers.1", "layers.2")]: float32([4, 32], new Float32Array(128)) },
      "layers.2.self_attn.q_proj.lora_A.weight: expected only",
    ],
    [
      "one matrix under two names",
      { [KEY.replace(".weight", ".default.weight")]: float32([4, 32], new Float32Array(128)) },
      "expected each matrix once",
    ],
  ])("refuses %s by the tensor's name", (_, tensors, message) => {
    expect(refusal(() => readPeftAdapter(folder({}, tensors), model))).toContain(message);
  });

  it("refuses a config that is no JSON", () => {
    const broken = { ...folder(), config: new TextEncoder().encode("{") };
    expect(refusal(() => readPeftAdapter(broken, model))).toContain(
      "theirs/adapter_config.json: expected JSON",
    );
  });
});
