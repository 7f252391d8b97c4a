/**
 * Adapters both ways between here and PEFT, and merged models in transformers, live: linears one by one and together, odd ranks,
 * rank-stabilised, heads unlike D/H, biases, a head of its own. Equal logits throughout.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { defined } from "../../base/assert.ts";
import { createRng } from "../../base/rng.ts";
import { LORA_MODULES, loraLayout, type LoraSettings } from "../../engine/nn/lora.ts";
import type { RopeScaling } from "../../engine/nn/model-config.ts";
import type { Engine } from "../../engine/runtime/engine.ts";
import { openNodeEngine } from "../../engine/runtime/ort-node.ts";
import { mergedModelFiles, mergedSafetensors } from "../../engine/weights/merged-model.ts";
import { writePeftAdapter } from "../../engine/weights/peft-adapter.ts";
import { readPeftAdapter } from "../../engine/weights/peft-import.ts";
import { fixtureFolder, readModelFixture, type FixtureModel } from "../../testing/model-fixtures.ts";
import { askOracle, describeWithOracle } from "../../testing/oracle.ts";
import { prefillLogits, worstDifference } from "../../testing/prefill-logits.ts";

interface Case {
  readonly model: FixtureModel;
  readonly lora: LoraSettings;
}

const LIMIT = 1e-4;
const SEVERAL: readonly Case[] = [
  {
    model: "qwen3",
    lora: { r: 3, lora_alpha: 7, target_modules: ["k_proj", "gate_proj"], use_rslora: true },
  },
  { model: "qwen2", lora: { r: 5, lora_alpha: 3, target_modules: LORA_MODULES } },
  { model: "llama", lora: { r: 41, lora_alpha: 9, target_modules: LORA_MODULES, use_rslora: true } },
];
const CASES: readonly Case[] = [
  ...LORA_MODULES.map((module): Case => ({
    model: "qwen3",
    lora: { r: 2, lora_alpha: 5, target_modules: [module] },
  })),
  ...SEVERAL,
];
const SCALED: RopeScaling = {
  type: "llama3",
  factor: 4,
  lowFreqFactor: 1,
  highFreqFactor: 4,
  originalMaxPositions: 8,
};

let engine: Engine;
let folder = "";
beforeAll(() => {
  engine = openNodeEngine(1);
  folder = mkdtempSync(join(tmpdir(), "adapters-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await engine.dispose();
});

const sayCase = ({ model, lora }: Case): string =>
  `${model} ${lora.target_modules.join(" ")}, rank ${lora.r}`;
const plain = (inputIds: readonly Int32Array[]): number[][] => inputIds.map((row) => [...row]);

/** Random A and B, and what we compute with them. */
async function ours({ model, lora }: Case, seed: number) {
  const fixture = readModelFixture(model);
  const layout = loraLayout(fixture.config, lora);
  const rng = createRng(seed, "adapter");
  const adapter = Float32Array.from({ length: layout.size }, () => 0.08 * rng.normal());
  const { inputIds } = fixture;
  return {
    fixture,
    layout,
    adapter,
    logits: await prefillLogits(engine, fixture, layout, { adapter, inputIds }),
  };
}

/** A folder of its own for some files. */
function written(name: string, files: Readonly<Record<string, string | Uint8Array>>): string {
  const home = join(folder, name);
  mkdirSync(home, { recursive: true });
  for (const [file, content] of Object.entries(files)) writeFileSync(join(home, file), content);
  return home;
}

describeWithOracle("adapters between here and PEFT", () => {
  it("that PEFT makes give its logits here", async () => {
    const asks = CASES.map(({ model, lora: { use_rslora = false, ...settings } }, i) => ({
      model: fixtureFolder(model),
      adapter: join(folder, `theirs-${i}`),
      settings: { ...settings, use_rslora },
      seed: i,
      inputIds: plain(readModelFixture(model).inputIds),
    }));
    const answers = askOracle("scripts/oracles/make_adapters.py", asks) as number[][];
    for (const [i, each] of CASES.entries()) {
      const fixture = readModelFixture(each.model);
      const home = join(folder, `theirs-${i}`);
      const [config, weights] = ["adapter_config.json", "adapter_model.safetensors"].map(
        (file) => new Uint8Array(readFileSync(join(home, file))),
      );
      const files = { name: home, config: defined(config, "config"), weights: defined(weights, "weights") };
      const { lora, values } = readPeftAdapter(files, fixture.config);
      expect(lora).toEqual({ use_rslora: false, ...each.lora });
      const { inputIds } = fixture;
      const layout = loraLayout(fixture.config, lora);
      const logits = await prefillLogits(engine, fixture, layout, { adapter: values, inputIds });
      expect(worstDifference(logits, defined(answers[i], "answer")), sayCase(each)).toBeLessThan(LIMIT);
      const base = fixture.logits.data as Float32Array;
      expect(worstDifference(base, defined(answers[i], "answer")), sayCase(each)).toBeGreaterThan(0.02); // the control
    }
  });

  it("that we make give our logits there", async () => {
    const made = await Promise.all(CASES.map(ours));
    const asks = CASES.map(({ model }, i) => {
      const { adapter, layout, fixture } = defined(made[i], "case");
      return {
        model: fixtureFolder(model),
        adapter: written(`ours-${i}`, { ...writePeftAdapter(adapter, layout, { name: model }) }),
        inputIds: plain(fixture.inputIds),
      };
    });
    const answers = askOracle("scripts/oracles/peft_logits.py", asks) as number[][];
    for (const [i, each] of CASES.entries()) {
      const { logits } = defined(made[i], "case");
      expect(worstDifference(logits, defined(answers[i], "answer")), sayCase(each)).toBeLessThan(LIMIT);
    }
  });
});

describeWithOracle("a merged model in transformers", () => {
  const tokenizer = { tokenizerJson: null, tokenizerConfigJson: null, chatTemplate: null };

  it("gives the logits of base and adapter, its positions scaled or not, its head tied or not", async () => {
    const cases = [...SEVERAL, ...SEVERAL.slice(0, 1)];
    const made = await Promise.all(
      cases.map(async (each, i) => {
        const { fixture, layout, adapter } = await ours(each, i);
        const config = i === SEVERAL.length ? { ...fixture.config, ropeScaling: SCALED } : fixture.config;
        const { inputIds } = fixture;
        const logits = await prefillLogits(engine, { ...fixture, config }, layout, { adapter, inputIds });
        const request = { config, weights: fixture.weights, layout, adapter, dtype: "F32" } as const;
        const model = written(`merged-${i}`, {
          ...mergedModelFiles(config, [1], tokenizer, "F32"),
          "model.safetensors": Buffer.concat(
            [...mergedSafetensors(request)].map((part) => Buffer.from(part)),
          ),
        });
        return { logits, ask: { model, adapter: null, inputIds: plain(inputIds) } };
      }),
    );
    const answers = askOracle(
      "scripts/oracles/peft_logits.py",
      made.map(({ ask }) => ask),
    ) as number[][];
    for (const [i, { logits }] of made.entries()) {
      expect(worstDifference(logits, defined(answers[i], "answer")), `case ${i}`).toBeLessThan(LIMIT);
    }
    const [scaled, unscaled] = [made.at(-1), made[0]];
    expect(worstDifference(scaled?.logits ?? [], unscaled?.logits ?? [])).toBeGreaterThan(0.01); // the control
  });
});
