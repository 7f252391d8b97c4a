/** Every template teaches the bundled model: thirty small steps lift its held-out score. `npm run slow`, half a minute a template. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checks } from "../domain/rubric/checks/registry.ts";
import { runSpecSchema } from "../domain/run/spec.ts";
import type { Evaluation } from "../domain/run/records.ts";
import { scenarios } from "../domain/scenarios/registry.ts";
import type { Scenario } from "../domain/scenarios/scenario.ts";
import { templates } from "../domain/scenarios/templates/registry.ts";
import { templateRubric, type RubricTemplate } from "../domain/scenarios/templates/template.ts";
import { openKernelEngine } from "../engine/kernels/kernels-node.ts";
import type { Engine } from "../engine/runtime/engine.ts";
import { createTextCodec } from "../engine/text/tokenizer.ts";
import { loadModel, type LoadedModel } from "../engine/weights/load-model.ts";
import { bundledModelFolders } from "../testing/bundled-model.ts";
import type { TextCodec } from "../training/policy.ts";
import { createModelPolicy } from "../training/model-policy/create.ts";
import { createRunRecord } from "../training/run-record.ts";
import { Trainer } from "../training/trainer.ts";
import { createFolderSource } from "./folder-source.ts";

const STEPS = 30;
const LEAST_LIFT = 0.03;

const all = Object.entries(templates).flatMap(([id, own]) =>
  own.map((template): [string, Scenario, RubricTemplate] => [
    template.id,
    scenarios[id as keyof typeof scenarios],
    template,
  ]),
);

let engine: Engine;
let model: LoadedModel;
let codec: TextCodec;

beforeAll(async () => {
  const [folder = ""] = bundledModelFolders("model.safetensors");
  engine = await openKernelEngine();
  model = await loadModel(createFolderSource(folder), new AbortController().signal);
  codec = await createTextCodec(model.tokenizerFiles, model.endTokenIds);
});
afterAll(() => engine.dispose());

describe.each(all)("%s", (_, scenario, template) => {
  it("is learned", async () => {
    const { trainPrompts, heldOutPrompts } = scenario;
    const spec = runSpecSchema.parse({
      scenarioId: scenario.id,
      seed: 1,
      arms: [{ id: "static-scalar", rule: "static-scalar" }],
      rubric: templateRubric(scenario, template),
      trainPrompts,
      heldOutPrompts,
      grpo: { max_steps: STEPS, max_completion_length: 80 },
      judgeNoise: 0,
      evaluateEvery: STEPS,
      evaluationSamples: 96,
    });
    const { maxPositions } = model.config;
    const policy = createModelPolicy({ engine, model, lora: spec.grpo.lora, maxPositions });
    const deps = { policy, codec, checks, sandbox: null, embedder: null, now: () => 0 };
    const trainer = new Trainer(deps, createRunRecord("run", spec, policy));
    await trainer.evaluate();
    while (trainer.record.step < STEPS) await trainer.step();
    await trainer.evaluate();
    const scores = trainer.record.rows.filter((row): row is Evaluation => row.kind === "evaluation");
    const [first, last] = [scores[0]?.score ?? NaN, scores.at(-1)?.score ?? NaN];
    console.info(`${template.id}: held-out score ${first.toFixed(3)} -> ${last.toFixed(3)}`);
    expect(last - first).toBeGreaterThan(LEAST_LIFT);
  }, 300_000);
});
