import { beforeAll, expect, test } from "vitest";
import { checks } from "../domain/rubric/checks/registry.ts";
import { parseRunSpec } from "../domain/run/parse-run-spec.ts";
import type { ArmStep } from "../domain/run/records.ts";
import { customerReply } from "../domain/scenarios/customer-reply.ts";
import { createTextCodec } from "../engine/text/tokenizer.ts";
import { loadModel, type LoadedModel } from "../engine/weights/load-model.ts";
import { createModelPolicy } from "../training/model-policy/create.ts";
import { createRunRecord, type RunRecord } from "../training/run-record.ts";
import { Trainer } from "../training/trainer.ts";
import { chooseEngine } from "./engine-choice.ts";
import { createFolderSource } from "./folder-source.ts";

const { rubric, pow3r } = customerReply.setUps[0];
const spec = parseRunSpec({
  scenarioId: customerReply.id,
  arms: [
    { id: "pow3r", rule: "pow3r", pow3r },
    { id: "static", rule: "static-scalar" },
  ],
  rubric,
  trainPrompts: customerReply.trainPrompts,
  heldOutPrompts: customerReply.heldOutPrompts,
  grpo: { num_generations: 4, max_completion_length: 24, beta: 0.1 },
  evaluationSamples: 4,
});

let model: LoadedModel;
beforeAll(async () => {
  model = await loadModel(createFolderSource("models/playground-qwen3-1m"));
});

async function oneStep(engineName: string): Promise<RunRecord> {
  const engine = await chooseEngine(engineName, 1)();
  const codec = await createTextCodec(model.tokenizerFiles, model.endTokenIds);
  const { maxPositions } = model.config;
  const policy = createModelPolicy({ engine, model, lora: spec.grpo.lora, maxPositions });
  const deps = { policy, codec, checks, now: () => 0 };
  const trainer = new Trainer(deps, createRunRecord("run", spec, policy));
  await trainer.step();
  await policy.dispose();
  await engine.dispose();
  return trainer.record;
}

test("a step on WASM gives the numbers of onnxruntime-node within 1e-4", async () => {
  const [node, wasm] = [await oneStep("node"), await oneStep("wasm")];
  const steps = ({ rows }: RunRecord): ArmStep[] => rows.filter((row) => row.kind === "step");
  expect(steps(wasm)).toHaveLength(2);
  for (const [at, { metrics, criteria }] of steps(node).entries()) {
    expect(steps(wasm)[at]?.criteria).toEqual(criteria);
    expect(metrics["grad_norm"]).toBeGreaterThan(0.01);
    for (const [name, value] of Object.entries(metrics)) {
      const other = steps(wasm)[at]?.metrics[name] ?? Number.NaN;
      if (value !== null) expect(Math.abs(other - value), name).toBeLessThan(1e-4);
    }
  }
  // the gradient, in AdamW's first moment: the first step itself is its sign, which may differ where it is all but 0
  for (const [at, { optimizer }] of node.arms.entries()) {
    const other = wasm.arms[at]?.optimizer.m ?? new Float32Array();
    const apart = Math.hypot(...optimizer.m.map((value, i) => value - (other[i] ?? Number.NaN)));
    expect(apart / Math.hypot(...optimizer.m)).toBeLessThan(1e-4);
  }
});

test("refuses an engine that there is not", () => {
  expect(() => chooseEngine("cuda", 1)).toThrow("--engine: expected node or wasm, got cuda");
});
