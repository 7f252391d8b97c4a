/** An adapter written by us, loaded by PEFT itself (warnings as errors), gives the logits of the adapter it was made from. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { defined } from "../../base/assert.ts";
import {
  FIXTURE_MODELS,
  type FixtureModel,
  fixtureFolder,
  readModelFixture,
} from "../../testing/model-fixtures.ts";
import { askOracle, describeWithOracle } from "../../testing/oracle.ts";
import { loraLayout } from "../nn/lora.ts";
import { writePeftAdapter } from "./peft-adapter.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "adapters-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** The fixture's adapter in a folder of its own, and what PEFT is asked about it. */
function ask(name: FixtureModel): object {
  const { config, lora, adapter, inputIds } = readModelFixture(name);
  const files = writePeftAdapter(adapter, loraLayout(config, lora), { name });
  const home = join(folder, name);
  mkdirSync(home);
  writeFileSync(join(home, "adapter_config.json"), files["adapter_config.json"]);
  writeFileSync(join(home, "adapter_model.safetensors"), files["adapter_model.safetensors"]);
  return { model: fixtureFolder(name), adapter: home, inputIds: inputIds.map((row) => [...row]) };
}
const worst = (a: readonly number[], b: ArrayLike<number>): number =>
  a.reduce((max, value, i) => Math.max(max, Math.abs(value - (b[i] ?? NaN))), 0);

describeWithOracle("writePeftAdapter read by PEFT", () => {
  it("gives the adapter's logits for every architecture", () => {
    const answers = askOracle("scripts/oracles/peft_logits.py", FIXTURE_MODELS.map(ask)) as number[][];
    for (const [i, name] of FIXTURE_MODELS.entries()) {
      const { loraLogits, logits } = readModelFixture(name);
      const got = defined(answers[i], name);
      expect(got).toHaveLength(loraLogits.data.length);
      expect(worst(got, loraLogits.data as Float32Array), name).toBeLessThan(1e-4);
      // The control: without the adapter the same inputs give other logits.
      expect(worst(got, logits.data as Float32Array), name).toBeGreaterThan(0.1);
    }
  });
});
