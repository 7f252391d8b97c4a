/** An experiment from an adapter of others: which plans take it, and which refuse it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { writeSettingsFile } from "../domain/run/settings-file.ts";
import { parseRunSpec } from "../domain/run/parse-run-spec.ts";
import type { RunSpec } from "../domain/run/spec.ts";
import { customerReply } from "../domain/scenarios/customer-reply.ts";
import { fixtureFolder } from "../testing/model-fixtures.ts";
import { makePlan } from "./plan.ts";
import { planFrom, readStart } from "./start-adapter.ts";

const folder = mkdtempSync(join(tmpdir(), "start-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const model = fixtureFolder("qwen3");
const start = await readStart(join(model, "imported"), model);
const plain = parseRunSpec({
  scenarioId: customerReply.id,
  arms: [{ id: "pow3r", rule: "pow3r" }],
  rubric: customerReply.setUps[0].rubric,
  trainPrompts: customerReply.trainPrompts,
  heldOutPrompts: customerReply.heldOutPrompts,
  grpo: {},
});
const planOf = (spec: RunSpec = plain) =>
  makePlan(writeSettingsFile({ model: "m", spec, seeds: [1] }), "run.json", {});

test("every run of the plan starts from it, with its LoRA settings", () => {
  const { cells } = planFrom(planOf(), start);
  expect(cells[0]?.specOf(1)).toMatchObject({
    startAdapter: { name: "imported", baseModel: "someone/qwen3" },
    grpo: {
      lora: { r: 3, lora_alpha: 5, use_rslora: true, target_modules: ["q_proj", "v_proj", "down_proj"] },
    },
  });
});

test("settings that start from an adapter take that one alone", () => {
  const own = planFrom(planOf(), start).cells[0]?.specOf(1) ?? expect.fail("no cell");
  expect(planFrom(planOf(own), start).cells[0]?.specOf(1)).toEqual(own);
  expect(() => planFrom(planOf(own), null)).toThrow('--start-adapter: expected the adapter "imported"');
  const other = { ...start, start: { ...start.start, sha256: "0".repeat(64) } };
  expect(() => planFrom(planOf(own), other)).toThrow("got");
});

test("a folder without an adapter is told", async () => {
  await expect(readStart(folder, model)).rejects.toMatchObject({ code: "adapter-refused" });
  writeFileSync(join(folder, "adapter_config.json"), "{}");
  await expect(readStart(folder, model)).rejects.toThrow("adapter_model.safetensors");
});
