import { describe, expect, it } from "vitest";
import {
  FIXTURE_MODELS,
  fixtureSource,
  readFixture,
  readFixtureJson,
  readTensors,
} from "../../testing/model-fixtures.ts";
import { outOfBlocks } from "../../testing/block-weights.ts";
import type { HostTensor } from "../graph/tensor.ts";
import { weightSpecs } from "../nn/model-config.ts";
import { type LoadProgress, loadModel } from "./load-model.ts";
import { writeSafetensors } from "./safetensors.ts";

const json = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const EMBEDDING = "model.embed_tokens.weight";
const HEAD = "lm_head.weight";

/** The model of a fixture with its tensors changed. */
function changed(name: string, change: (tensors: Map<string, HostTensor>) => void) {
  const tensors = readTensors(`${name}/model.safetensors`);
  change(tensors);
  return loadModel(fixtureSource(name, { "model.safetensors": writeSafetensors(tensors) }));
}
function tensorOf(tensors: ReadonlyMap<string, HostTensor>, name: string): HostTensor {
  const tensor = tensors.get(name);
  if (!tensor) throw new Error(`${name} is missing`);
  return tensor;
}
const broken = (message: string) =>
  expect.objectContaining({
    code: "model-broken",
    message: expect.stringContaining(message) as string,
  }) as Error;

describe("loadModel", () => {
  it.each(FIXTURE_MODELS)("loads the %s files as transformers saves them", async (name) => {
    const model = await loadModel(fixtureSource(name));
    expect(model.name).toBe(name);
    expect([...model.weights.keys()]).toEqual(weightSpecs(model.config).map((spec) => spec.name));
    for (const { name: weight, shape } of weightSpecs(model.config)) {
      const tensor = tensorOf(outOfBlocks(model.weights), weight);
      expect(tensor.dims).toEqual(shape);
      expect(tensor.data).toEqual(tensorOf(readTensors(`${name}/model.safetensors`), weight).data);
    }
    expect(model.endTokenIds).toEqual([1]);
    expect(model.sizeBytes).toBe(readFixture(`${name}/model.safetensors`).length);
  });

  it("tells bytes for every file and hands out the tokenizer's texts", async () => {
    const seen: LoadProgress[] = [];
    const files = {
      "tokenizer.json": json({ model: { vocab: { a: 0, b: 63 } }, added_tokens: [{ id: 5 }] }),
      "chat_template.jinja": new TextEncoder().encode("{{ messages }}"),
    };
    const model = await loadModel(fixtureSource("qwen3", files), undefined, (progress) =>
      seen.push(progress),
    );
    expect([...new Set(seen.map(({ path }) => path))]).toEqual([
      "config.json",
      "generation_config.json",
      "tokenizer.json",
      "chat_template.jinja",
      "model.safetensors",
    ]);
    expect(seen.at(-1)?.loadedBytes).toBe(model.sizeBytes);
    expect(model.tokenizerFiles.chatTemplate).toBe("{{ messages }}");
    expect(model.tokenizerFiles.tokenizerConfigJson).toBeNull();
  });

  it("refuses missing tensors, naming them", async () => {
    const act = changed("qwen3", (tensors) => tensors.delete("model.layers.1.self_attn.q_norm.weight"));
    await expect(act).rejects.toThrow(broken("the tensors model.layers.1.self_attn.q_norm.weight"));
  });

  it.each([
    ["self_attn.q_proj", "self_attn.qkv_proj", "q, k and v projected apart, not fused"],
    ["mlp.gate_proj", "mlp.gate_up_proj", "gate and up projected apart, not fused"],
    ["mlp.gate_proj", "mlp.experts.0.gate_proj", "not a mixture of experts"],
  ])("refuses another kind of model by what it has: %s as %s", async (from, to, message) => {
    const act = changed("llama", (tensors) => {
      const name = `model.layers.0.${from}.weight`;
      tensors.set(`model.layers.0.${to}.weight`, tensorOf(tensors, name));
      tensors.delete(name);
    });
    await expect(act).rejects.toMatchObject({ code: "model-unsupported" });
    await expect(act).rejects.toThrow(`${message}, got model.layers.0.${to}.weight`);
    await expect(act).rejects.toThrow("Supported: Qwen3, Qwen2 and Llama");
  });

  it("shortens a long list of missing tensors", async () => {
    const act = changed("qwen2", (tensors) => {
      for (const name of [...tensors.keys()]) if (name.includes("layers.1")) tensors.delete(name);
    });
    await expect(act).rejects.toThrow(broken("and 7 more"));
  });

  it("refuses unknown tensors, biases among them", async () => {
    const act = changed("qwen3", (tensors) => {
      tensors.set("model.layers.0.self_attn.q_proj.bias", {
        dtype: "float32",
        dims: [64],
        data: new Float32Array(64),
      });
    });
    await expect(act).rejects.toThrow(broken("also model.layers.0.self_attn.q_proj.bias"));
  });

  it("refuses a transposed tensor", async () => {
    const name = "model.layers.0.mlp.up_proj.weight";
    const act = changed("qwen3", (tensors) => {
      tensors.set(name, { ...tensorOf(tensors, name), dims: [32, 48] });
    });
    await expect(act).rejects.toThrow(broken(`${name}: expected [48, 32] by config.json, got [32, 48]`));
  });

  it("refuses NaN, with the tensor and the element", async () => {
    const act = changed("llama", (tensors) => {
      tensorOf(tensors, "model.norm.weight").data[3] = NaN;
    });
    await expect(act).rejects.toThrow(
      broken("model.norm.weight: expected finite numbers, got NaN at element 3"),
    );
  });

  it("refuses a head of its own beside tie_word_embeddings, accepts the same head twice", async () => {
    const twice = await changed("qwen3", (tensors) => tensors.set(HEAD, tensorOf(tensors, EMBEDDING)));
    expect(twice.weights.has(HEAD)).toBe(false);
    const act = changed("qwen3", (tensors) => {
      const embedding = tensorOf(tensors, EMBEDDING);
      const data = Float32Array.from(embedding.data as Float32Array);
      data[100] = (data[100] ?? 0) + 1e-3;
      tensors.set(HEAD, { ...embedding, data });
    });
    await expect(act).rejects.toThrow(broken(`${HEAD}: expected the values of ${EMBEDDING}`));
  });

  it("refuses an untied model without a head", async () => {
    const act = changed("llama", (tensors) => tensors.delete(HEAD));
    await expect(act).rejects.toThrow(broken("lm_head.weight (tie_word_embeddings is false"));
  });

  it("refuses a tokenizer that is larger than the embedding", async () => {
    const tokenizer = readFixture("tokenizer/tokenizer.json");
    const act = loadModel(fixtureSource("qwen3", { "tokenizer.json": tokenizer }));
    await expect(act).rejects.toThrow(
      broken("qwen3/tokenizer.json: expected ids below vocab_size 64, got a token"),
    );
    const added = json({ model: { vocab: { a: 0 } }, added_tokens: [{ id: 64, content: "<x>" }] });
    const other = loadModel(fixtureSource("qwen3", { "tokenizer.json": added }));
    await expect(other).rejects.toThrow(broken("a token with id 64"));
  });

  it.each<[string, Record<string, Uint8Array | null>, string]>([
    ["no config.json", { "config.json": null }, "qwen3: expected a file config.json, got none"],
    [
      "no weights",
      { "model.safetensors": null },
      "expected a file model.safetensors or model.safetensors.index.json, got none",
    ],
    [
      "a config that is no JSON",
      { "config.json": new TextEncoder().encode("<html>") },
      "config.json: expected JSON",
    ],
    [
      "truncated weights",
      { "model.safetensors": readFixture("qwen3/model.safetensors").slice(0, 5000) },
      "offsets within",
    ],
    [
      "a config of another size",
      { "config.json": json({ ...(readFixtureJson("qwen3/config.json") as object), intermediate_size: 40 }) },
      "gate_proj.weight: expected [40, 32] by config.json, got [48, 32]",
    ],
  ])("refuses %s", async (_name, replaced, message) => {
    await expect(loadModel(fixtureSource("qwen3", replaced))).rejects.toThrow(broken(message));
  });

  it("reads shards as their index says", async () => {
    const tensors = [...readTensors("qwen3/model.safetensors")];
    const shards = { "a.safetensors": tensors.slice(0, 9), "b.safetensors": tensors.slice(9) };
    const files = Object.fromEntries(
      Object.entries(shards).map(([path, part]) => [path, writeSafetensors(new Map(part))]),
    );
    const weightMap = Object.fromEntries(
      Object.entries(shards).flatMap(([path, part]) => part.map(([name]) => [name, path])),
    );
    const source = (index: unknown) =>
      fixtureSource("qwen3", {
        ...files,
        "model.safetensors": null,
        "model.safetensors.index.json": json({ weight_map: index }),
      });
    const model = await loadModel(source(weightMap));
    expect(model.weights).toEqual((await loadModel(fixtureSource("qwen3"))).weights);
    const [moved = ""] = tensors.map(([name]) => name);
    await expect(loadModel(source({ ...weightMap, [moved]: "b.safetensors" }))).rejects.toEqual(
      broken(moved),
    );
    await expect(loadModel(source({ ...weightMap, [moved]: "c.safetensors" }))).rejects.toEqual(
      broken("a file c.safetensors"),
    );
  });

  it("stops when the signal fires", async () => {
    const controller = new AbortController();
    const act = loadModel(fixtureSource("qwen3"), controller.signal, ({ path }) => {
      if (path === "model.safetensors") controller.abort();
    });
    await expect(act).rejects.toThrow(expect.objectContaining({ code: "aborted" }) as Error);
  });
});
