import { expect, test } from "vitest";
import { writeSettingsFile } from "../domain/run/settings-file.ts";
import { parseRunSpec } from "../domain/run/parse-run-spec.ts";
import { customerReply } from "../domain/scenarios/customer-reply.ts";
import { settingsRun } from "./settings-run.ts";

const { rubric } = customerReply.setUps[0];
const spec = parseRunSpec({
  scenarioId: customerReply.id,
  setUpId: "heavy",
  seed: 4,
  arms: [
    { id: "pow3r", rule: "pow3r", pow3r: { lambda: 0.1 } },
    { id: "plain", rule: "static-scalar" },
  ],
  rubric,
  rubricEdits: [{ fromStep: 5, rubric: { ...rubric, title: "Later" } }],
  trainPrompts: customerReply.trainPrompts,
  heldOutPrompts: customerReply.heldOutPrompts,
  grpo: {},
});
const text = writeSettingsFile({ model: "m", spec, seeds: [4] });

test("a settings file runs as it was saved, under its own name and seed", () => {
  const { experiment, specOf, model } = settingsRun(text, "down/Customer reply, seed4.json", undefined);
  expect(experiment).toMatchObject({
    name: "customer-reply-seed4",
    seeds: [4],
    baseline: "plain",
    setUp: "heavy",
  });
  expect(specOf(4)).toEqual(spec);
  expect(model).toBe("m");
});

test("a run of several seeds runs all of them", () => {
  const several = writeSettingsFile({ model: "m", spec, seeds: [4, 6] });
  expect(settingsRun(several, "a.json", undefined).experiment.seeds).toEqual([4, 6]);
});

test("other seeds change nothing but the seed", () => {
  const { experiment, specOf } = settingsRun(text, "a.json", "1,2");
  expect(experiment.seeds).toEqual([1, 2]);
  expect(specOf(2)).toEqual({ ...spec, seed: 2 });
});

test.each(["1,1", "1,", "one"])("seeds %j are refused", (seeds) => {
  expect(() => settingsRun(text, "a.json", seeds)).toThrow("a.json, seeds");
});
