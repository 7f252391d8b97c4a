import { expect, test } from "vitest";
import type { RunSpec } from "../domain/run/spec.ts";
import { fakeDeps, fakeSpec } from "../testing/fake-run.ts";
import { openRecord, sealRecord } from "./checkpoints.ts";
import { createRunRecord, type RunRecord } from "./run-record.ts";
import { Trainer } from "./trainer.ts";

async function trained(spec: RunSpec, stopAt: number | null = null): Promise<RunRecord> {
  const deps = fakeDeps();
  let trainer = new Trainer(deps, createRunRecord("run", spec, deps.policy));
  while (!trainer.finished) {
    if (trainer.record.step === stopAt) {
      trainer = new Trainer(deps, openRecord(sealRecord(trainer.record), "stopped"));
    }
    await trainer.step();
  }
  return trainer.record;
}

const ARM = { id: "static", rule: "static-scalar" };
const adapters = ({ arms }: RunRecord): readonly Float32Array[] => arms.map(({ adapter }) => adapter);

test.each([{ scale_rewards: "none" }, { learning_rate: 0.03 }, { beta: 0.1 }, { num_iterations: 2 }])(
  "an arm's own %o gives the numbers of a run with it, and leaves the other arm alone",
  async (grpo) => {
    const both = await trained(fakeSpec({ arms: [ARM, { ...ARM, id: "own", grpo }] }));
    const [plain] = adapters(await trained(fakeSpec({ arms: [ARM] })));
    const [asRun] = adapters(await trained(fakeSpec({ arms: [ARM] }, grpo)));
    expect(asRun).not.toEqual(plain);
    expect(adapters(both)).toEqual([plain, asRun]);
  },
);

test("an arm has no rollouts, prompts or adapter of its own", () => {
  for (const grpo of [
    { num_generations: 4 },
    { prompts_per_step: 2 },
    { lora: { r: 4 } },
    { max_steps: 3 },
  ]) {
    expect(() => fakeSpec({ arms: [{ ...ARM, grpo }] })).toThrow("Unrecognized key");
  }
});

test("a run that stops between two moves of alpha goes on with the numbers of one that does not", async () => {
  const arms = [{ id: "pow3r", rule: "pow3r", pow3r: { alpha_update: "step", alpha_interval: 5 } }];
  const spec = fakeSpec({ arms });
  const whole = await trained(spec);
  expect(await trained(spec, 8)).toEqual(whole);
  const alphas = whole.rows.flatMap((row) => (row.kind === "step" ? [row.criteria[0]?.alpha] : []));
  expect(new Set(alphas.slice(0, 5))).toEqual(new Set([1]));
  expect(new Set(alphas.slice(5, 10)).size).toBe(1);
  expect(alphas[5]).not.toBe(1);
  expect(alphas[10]).not.toBe(alphas[9]);
});
