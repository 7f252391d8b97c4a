/**
 * The bundled model on our engine beside transformers and PEFT: greedy answers token for token, and log-probabilities; as it
 * ships, and with an adapter that our own GRPO steps trained and our own writer saved. Texts may part only where the two
 * best tokens are all but tied; such places are printed.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { defined } from "../../base/assert.ts";
import { loraConfigSchema } from "../../domain/grpo/config.ts";
import { checks } from "../../domain/rubric/checks/registry.ts";
import { parseRunSpec } from "../../domain/run/parse-run-spec.ts";
import { scenarios } from "../../domain/scenarios/registry.ts";
import { loraLayout } from "../../engine/nn/lora.ts";
import type { Engine } from "../../engine/runtime/engine.ts";
import { openNodeEngine } from "../../engine/runtime/ort-node.ts";
import { createTextCodec } from "../../engine/text/tokenizer.ts";
import { loadModel, type LoadedModel } from "../../engine/weights/load-model.ts";
import { writePeftAdapter } from "../../engine/weights/peft-adapter.ts";
import { createFolderSource } from "../../headless/folder-source.ts";
import { bundledModelFolders, bundledModelMissing } from "../../testing/bundled-model.ts";
import { askOracle, describeWithOracle } from "../../testing/oracle.ts";
import type { Policy, PromptTokens, TextCodec } from "../policy.ts";
import { createRunRecord } from "../run-record.ts";
import { Trainer } from "../trainer.ts";
import { createModelPolicy } from "./create.ts";

const FILES = ["config.json", "model.safetensors", "tokenizer.json"];
const PROMPTS = 20;
const MAX_TOKENS = 72;
const MAX_POSITIONS = 192;
/** Two logits closer than this may change places between two orders of summation. */
const NEAR_TIE = 1e-3;
const STEPS = 4;
const LORA = loraConfigSchema.parse({});
const { grpo, pow3r, rubric, judgeNoise } = scenarios["customer-reply"].setUps[0];

/** One prompt's answer by the oracle. */
interface OracleAnswer {
  readonly tokens: readonly number[];
  readonly gaps: readonly number[];
  readonly logProbs: readonly number[];
}

let engine: Engine;
let model: LoadedModel;
let codec: TextCodec;
let policy: Policy;
let modelFolder: string;
let adapterFolder: string;
const prompts: PromptTokens[] = [];

/** An adapter after a few steps of the opening scenario, by our own trainer. */
async function trainAdapter(): Promise<Float32Array> {
  const { trainPrompts, heldOutPrompts, id } = scenarios["customer-reply"];
  const spec = parseRunSpec({
    scenarioId: id,
    arms: [{ id: "pow3r", rule: "pow3r", pow3r }],
    rubric,
    trainPrompts,
    heldOutPrompts,
    judgeNoise,
    grpo: { ...grpo, num_generations: 8, max_steps: STEPS },
  });
  const trainer = new Trainer(
    { policy, codec, checks, now: () => 0 },
    createRunRecord("interop", spec, policy),
  );
  while (!trainer.finished) await trainer.step();
  return defined(trainer.record.arms[0], "the trained arm").adapter;
}

/** Our greedy answers and the log-probabilities of their tokens. */
async function answers(adapter: Float32Array | null) {
  const groups = await policy.rollout({
    prompts,
    groupSize: 1,
    maxTokens: MAX_TOKENS,
    temperature: 0,
    topK: 0,
    topP: 1,
    uniform: () => 0.5,
    adapter,
  });
  const completions = groups.map((group) => defined(group[0], "a completion").tokens);
  const rows = prompts.map((prompt, i) => ({
    prompt,
    completions: [defined(completions[i], "a completion")],
  }));
  const logProbs = (await policy.logProbs(rows, adapter, 1)).map((group) => [...defined(group[0], "a row")]);
  return { tokens: completions.map((ids) => [...ids]), logProbs };
}

/** The oracle's answers with each of the adapters (folders; null = none), beside the tokens that are ours. */
function ask(adapters: readonly (string | null)[], tokens: readonly (readonly number[])[]): OracleAnswer[][] {
  const question = {
    model: modelFolder,
    maxTokens: MAX_TOKENS,
    prompts: prompts.map((ids) => [...ids]),
    completions: tokens,
  };
  const questions = adapters.map((adapter) => ({ ...question, adapter }));
  return askOracle("scripts/oracles/greedy.py", questions) as OracleAnswer[][];
}

/** Where two answers part though the best two tokens were not all but tied, in words. */
function partings(
  name: string,
  ours: readonly (readonly number[])[],
  theirs: readonly OracleAnswer[],
): string[] {
  return theirs.flatMap(({ tokens, gaps }, i) => {
    const own = defined(ours[i], "our answer");
    const at = Array.from({ length: Math.max(own.length, tokens.length) }, (_, t) => t).find(
      (t) => own[t] !== tokens[t],
    );
    if (at === undefined) return [];
    const gap = gaps[at] ?? Number.POSITIVE_INFINITY;
    const words = `${name}, prompt ${i}: token ${at} differs, the best two logits are ${gap.toExponential(1)} apart`;
    process.stdout.write(`${words}\n`);
    return gap < NEAR_TIE ? [] : [words];
  });
}

/** The largest difference between our log-probabilities and the oracle's of the same tokens. */
function worst(ours: readonly (readonly number[])[], theirs: readonly OracleAnswer[]): number {
  expect(theirs.map((answer) => answer.logProbs.length)).toEqual(ours.map((row) => row.length));
  const flat = theirs.flatMap((answer) => answer.logProbs);
  return ours.flat().reduce((most, value, i) => Math.max(most, Math.abs(value - (flat[i] ?? Number.NaN))), 0);
}

describeWithOracle(
  "the bundled model's greedy answers",
  () => {
    beforeAll(async () => {
      modelFolder = defined(bundledModelFolders(...FILES)[0], "a bundled model");
      adapterFolder = mkdtempSync(join(tmpdir(), "trained-adapter-"));
      model = await loadModel(createFolderSource(modelFolder));
      codec = await createTextCodec(model.tokenizerFiles, model.endTokenIds);
      engine = openNodeEngine(1);
      policy = createModelPolicy({ engine, model, lora: LORA, maxPositions: MAX_POSITIONS });
      for (const scenario of [scenarios["customer-reply"], scenarios["health-note"]]) {
        const chosen = scenario.heldOutPrompts.slice(0, PROMPTS / 2);
        prompts.push(...chosen.map((prompt) => codec.encodePrompt(prompt.messages)));
      }
    });
    afterAll(async () => {
      rmSync(adapterFolder, { recursive: true });
      await policy.dispose();
      await engine.dispose();
    });

    it("are transformers' own as it ships", async () => {
      const ours = await answers(null);
      expect(ours.tokens).toHaveLength(PROMPTS);
      expect(new Set(ours.tokens.map((tokens) => tokens.join(" "))).size).toBeGreaterThan(PROMPTS / 2);
      const theirs = defined(ask([null], ours.tokens)[0], "transformers' answers");
      expect(partings("base", ours.tokens, theirs)).toEqual([]);
      expect(worst(ours.logProbs, theirs)).toBeLessThan(1e-4);
    });

    it("are PEFT's own with an adapter of our training and writing", async () => {
      const adapter = await trainAdapter();
      const files = writePeftAdapter(adapter, loraLayout(model.config, LORA), { name: model.name });
      for (const name of ["adapter_config.json", "adapter_model.safetensors"] as const) {
        writeFileSync(join(adapterFolder, name), files[name]);
      }
      const ours = await answers(adapter);
      const [withAdapter, base] = ask([adapterFolder, null], ours.tokens);
      const theirs = defined(withAdapter, "PEFT's answers");
      expect(partings("adapter", ours.tokens, theirs)).toEqual([]);
      expect(worst(ours.logProbs, theirs)).toBeLessThan(1e-4);
      // the control: the same tokens under the base are told apart by far more
      expect(worst(ours.logProbs, defined(base, "the base's answers"))).toBeGreaterThan(0.05);
    });
  },
  bundledModelMissing(...FILES),
);
