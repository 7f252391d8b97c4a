/** The bundled model's greedy answers are the same tokens on our kernels and on onnxruntime, as it ships and with an adapter. */
import { expect, it } from "vitest";
import { defined } from "../../base/assert.ts";
import { createRng } from "../../base/rng.ts";
import { loraConfigSchema } from "../../domain/grpo/config.ts";
import { scenarios } from "../../domain/scenarios/registry.ts";
import { createTextCodec } from "../../engine/text/tokenizer.ts";
import { loadModel } from "../../engine/weights/load-model.ts";
import { createFolderSource } from "../../headless/folder-source.ts";
import { bundledModelFolders } from "../../testing/bundled-model.ts";
import { NODE_ENGINES } from "../../testing/node-engines.ts";
import { createModelPolicy } from "./create.ts";

const GREEDY = { groupSize: 1, maxTokens: 72, temperature: 0, topK: 0, topP: 1, uniform: () => 0.5 };
const folder = defined(bundledModelFolders("config.json", "model.safetensors", "tokenizer.json")[0], "model");

it("answers with the same tokens on each engine", async () => {
  const model = await loadModel(createFolderSource(folder));
  const codec = await createTextCodec(model.tokenizerFiles, model.endTokenIds);
  const prompts = [scenarios["customer-reply"], scenarios["health-note"]].flatMap((scenario) =>
    scenario.heldOutPrompts.slice(0, 6).map((prompt) => codec.encodePrompt(prompt.messages)),
  );
  const answers = NODE_ENGINES.map(async ([, open]) => {
    const engine = await open();
    const policy = createModelPolicy({ engine, model, lora: loraConfigSchema.parse({}), maxPositions: 192 });
    const rng = createRng(23, "adapter");
    const trained = Float32Array.from({ length: policy.adapterSize }, () => 0.02 * rng.normal());
    const byAdapter = [null, trained].map(async (adapter) => {
      const rows = (await policy.rollout({ ...GREEDY, prompts, adapter })).flat();
      return rows.map(({ tokens }) => [...tokens]);
    });
    const found = await Promise.all(byAdapter);
    await policy.dispose();
    await engine.dispose();
    return found;
  });
  const [onnx, kernels] = await Promise.all(answers);
  expect(kernels).toEqual(onnx);
  expect(new Set(kernels?.flat().map((tokens) => tokens.join(" "))).size).toBeGreaterThan(prompts.length / 2);
});
