/** A tiny Qwen3 of random weights as a model source in memory: real files for the real loader, text that means nothing. Node only. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createRng } from "../base/rng.ts";
import { float32, sizeOf, type HostTensor } from "../engine/graph/tensor.ts";
import { weightSpecs } from "../engine/nn/model-config.ts";
import { readHfConfig } from "../engine/weights/hf-config.ts";
import type { ModelSource } from "../engine/weights/model-source.ts";
import { writeSafetensors } from "../engine/weights/safetensors.ts";

const TOKENIZER = fileURLToPath(new URL("./fixtures/models/tokenizer/", import.meta.url));

const CONFIG = {
  architectures: ["Qwen3ForCausalLM"],
  model_type: "qwen3",
  attention_bias: false,
  head_dim: 16,
  hidden_act: "silu",
  hidden_size: 32,
  intermediate_size: 48,
  max_position_embeddings: 96,
  num_attention_heads: 4,
  num_hidden_layers: 2,
  num_key_value_heads: 2,
  rms_norm_eps: 1e-6,
  rope_theta: 10000,
  tie_word_embeddings: true,
  eos_token_id: 2,
  vocab_size: 320,
};

/** The same weights each time. */
export function createRandomModelSource(): ModelSource {
  const { config } = readHfConfig(CONFIG, null, "random model");
  const rng = createRng(1, "random-model");
  const weights = new Map<string, HostTensor>();
  for (const { name, shape } of weightSpecs(config)) {
    const norm = name.includes("norm");
    const values = Float32Array.from({ length: sizeOf(shape) }, () => (norm ? 1 : 0.2 * rng.normal()));
    weights.set(name, float32(shape, values));
  }
  const files = new Map<string, Uint8Array>([
    ["config.json", new TextEncoder().encode(JSON.stringify(CONFIG))],
    ["model.safetensors", writeSafetensors(weights)],
    ...["tokenizer.json", "tokenizer_config.json", "chat_template.jinja"].map(
      (name) => [name, new Uint8Array(readFileSync(`${TOKENIZER}${name}`))] as const,
    ),
  ]);
  return {
    name: "random",
    read: (path, options) => {
      const bytes = files.get(path) ?? null;
      if (bytes !== null) options?.onProgress?.(bytes.length, bytes.length);
      return Promise.resolve(bytes);
    },
  };
}
