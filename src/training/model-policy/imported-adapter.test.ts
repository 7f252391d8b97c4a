/** Adapters that PEFT made (fixtures of real runs), gone on with here: its logits and log-probabilities before the first step. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loraLayout } from "../../engine/nn/lora.ts";
import type { Engine } from "../../engine/runtime/engine.ts";
import { FIXTURE_MODELS, readImportedAdapter, readModelFixture } from "../../testing/model-fixtures.ts";
import { NODE_ENGINES } from "../../testing/node-engines.ts";
import { prefillLogits, worstDifference } from "../../testing/prefill-logits.ts";
import { createModelPolicy } from "./create.ts";

const LIMIT = 1e-4;

describe.each(NODE_ENGINES)("on %s", (_, open) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await open();
  });
  afterAll(() => engine.dispose());

  it.each(FIXTURE_MODELS)("the imported adapter of %s gives PEFT's logits", async (name) => {
    const { imported, inputIds, logits } = readImportedAdapter(name);
    const fixture = readModelFixture(name);
    const layout = loraLayout(fixture.config, imported.lora);
    const ours = await prefillLogits(engine, fixture, layout, { adapter: imported.values, inputIds });
    expect(worstDifference(ours, logits)).toBeLessThan(LIMIT);
    const plain = await prefillLogits(engine, fixture, layout, {
      adapter: new Float32Array(layout.size),
      inputIds,
    });
    expect(worstDifference(plain, logits)).toBeGreaterThan(0.05); // the control
  });

  it.each(FIXTURE_MODELS)("its first step sees PEFT's log-probabilities: %s", async (name) => {
    const { imported, logProbs } = readImportedAdapter(name);
    const { config, weights, groups, cases } = readModelFixture(name);
    const policy = createModelPolicy({
      engine,
      model: { config, weights, endTokenIds: [0] },
      lora: imported.lora,
      maxPositions: 48,
    });
    const settings = { ...(cases[0]?.settings ?? expect.fail("no case")), micro_batch_size: null };
    const step = await policy.gradient(groups, imported.values, settings);
    await policy.dispose();
    expect(
      worstDifference(
        step.logProbs.flat().flatMap((row) => [...row]),
        logProbs.flat(2),
      ),
    ).toBeLessThan(LIMIT);
    expect(step.gradient.some((x) => x !== 0)).toBe(true);
  });
});
