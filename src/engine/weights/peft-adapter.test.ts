import { describe, expect, it } from "vitest";
import {
  FIXTURE_MODELS,
  readFixtureJson,
  readModelFixture,
  readTensors,
} from "../../testing/model-fixtures.ts";
import { loraLayout } from "../nn/lora.ts";
import { writePeftAdapter } from "./peft-adapter.ts";
import { parseSafetensors, toFloat32 } from "./safetensors.ts";

describe("writePeftAdapter", () => {
  it.each(FIXTURE_MODELS)("writes the same tensors and settings as PEFT for %s", (name) => {
    const { config, lora, adapter } = readModelFixture(name);
    const files = writePeftAdapter(adapter, loraLayout(config, lora), { name });
    const { entries } = parseSafetensors(files["adapter_model.safetensors"], name);
    const ours = new Map([...entries].map(([key, entry]) => [key, toFloat32(entry, name)]));
    const theirs = readTensors(`${name}/adapter/adapter_model.safetensors`);
    expect([...ours.keys()].sort()).toEqual([...theirs.keys()].sort());
    for (const [key, tensor] of theirs) expect(ours.get(key)).toEqual(tensor);
    const settings = JSON.parse(files["adapter_config.json"]) as Record<string, unknown>;
    const peft = readFixtureJson(`${name}/adapter/adapter_config.json`) as Record<string, unknown>;
    for (const [field, value] of Object.entries(settings)) {
      const sorted = (x: unknown) => (Array.isArray(x) ? [...(x as string[])].sort() : x);
      expect(sorted(value), field).toEqual(sorted(peft[field]));
    }
  });

  it("writes only the chosen modules", () => {
    const { config } = readModelFixture("qwen3");
    const layout = loraLayout(config, { r: 2, lora_alpha: 4, target_modules: ["up_proj", "q_proj"] });
    const files = writePeftAdapter(new Float32Array(layout.size), layout, { name: "m" });
    const names = [...parseSafetensors(files["adapter_model.safetensors"], "m").entries.keys()];
    expect(names).toHaveLength(8);
    expect(names).toContain("base_model.model.model.layers.1.mlp.up_proj.lora_B.weight");
    expect(JSON.parse(files["adapter_config.json"])).toMatchObject({
      r: 2,
      lora_alpha: 4,
      target_modules: ["q_proj", "up_proj"],
    });
  });

  it("refuses a vector of another length", () => {
    const { config, lora, adapter } = readModelFixture("qwen3");
    expect(() => writePeftAdapter(adapter.slice(1), loraLayout(config, lora), { name: "m" })).toThrow(
      `expected ${adapter.length} numbers`,
    );
  });
});
