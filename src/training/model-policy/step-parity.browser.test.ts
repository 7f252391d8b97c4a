/** The whole GRPO step of step-parity.test.ts on the page's own runtime, WASM. */
import { expect, test } from "vitest";
import { openBrowserEngine } from "../../engine/runtime/ort-browser.ts";
import { expectStepInFloat32 } from "../../testing/grpo-step.ts";
import { parseStepFixture, STEP_MODELS } from "../../testing/step-fixtures.ts";
import { createModelPolicy } from "./create.ts";

test.each(STEP_MODELS)("a GRPO step of %s is PyTorch's on WASM", async (name) => {
  const response = await fetch(`/src/testing/fixtures/steps/${name}.json`);
  expect(response.ok).toBe(true);
  const fixture = parseStepFixture(await response.text());
  const engine = await openBrowserEngine("wasm", { threads: 1 });
  const model = { config: fixture.config, weights: fixture.weights, endTokenIds: [1] };
  const policy = createModelPolicy({ engine, model, lora: fixture.lora, maxPositions: 32 });
  await expectStepInFloat32(policy, fixture);
  await policy.dispose();
  await engine.dispose();
});
