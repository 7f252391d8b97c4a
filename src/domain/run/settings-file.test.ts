/** Files that a run or a rubric leaves as and comes back from; broken ones are named by place, expectation and find. */
import { expect, test } from "vitest";
import { PlaygroundError } from "../../base/errors.ts";
import { importRubric } from "../rubric/formats/import-rubric.ts";
import { writeRubricFile } from "../rubric/rubric-file.ts";
import { customerReply } from "../scenarios/customer-reply.ts";
import { parseRunSpec } from "./parse-run-spec.ts";
import { isSettingsFile, parseSettingsFile, writeSettingsFile } from "./settings-file.ts";

const setUp = customerReply.setUps[0];
const { trainPrompts, heldOutPrompts } = customerReply;
const spec = parseRunSpec({
  scenarioId: customerReply.id,
  setUpId: setUp.id,
  arms: [{ id: "pow3r", rule: "pow3r", pow3r: { lambda: 0.25 } }],
  grpo: { learning_rate: 1e-3 },
  rubric: setUp.rubric,
  rubricEdits: [{ fromStep: 9, rubric: { ...setUp.rubric, title: "Later" } }],
  trainPrompts,
  heldOutPrompts,
});
const file = { model: "m", spec, seeds: [1] };

/** The file with one place changed; places are keys joined by dots. */
function broken(path: string, value: unknown): string {
  const whole = JSON.parse(writeSettingsFile(file)) as Record<string, unknown>;
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  const place = keys.reduce<Record<string, unknown>>((at, key) => at[key] as Record<string, unknown>, whole);
  place[last] = value;
  return JSON.stringify(whole);
}

function faultOf(read: () => unknown): PlaygroundError {
  try {
    read();
  } catch (error) {
    if (error instanceof PlaygroundError) return error;
    throw error;
  }
  throw new Error("the file was taken");
}

test("settings come back as they left", () => {
  const text = writeSettingsFile(file);
  expect(parseSettingsFile(text, "a.json")).toEqual(file);
  expect(isSettingsFile(JSON.parse(text))).toBe(true);
  expect(isSettingsFile(setUp.rubric)).toBe(false);
});

test("several seeds come back in their order; one seed leaves the file that earlier builds wrote", () => {
  const several = writeSettingsFile({ ...file, seeds: [9, 4] });
  expect(parseSettingsFile(several, "a.json")).toEqual({
    ...file,
    spec: { ...spec, seed: 9 },
    seeds: [9, 4],
  });
  expect(JSON.parse(writeSettingsFile(file))).not.toHaveProperty("seeds");
  expect(faultOf(() => parseSettingsFile(broken("seeds", [3, 3]), "a.json")).message).toContain(
    "a.json, seeds: expected seeds that differ",
  );
});

test.each([
  ["formatVersion", 2, "config-invalid", "a.json, formatVersion: expected one of 1, got 2."],
  [
    "spec.grpo.learning_rate",
    "fast",
    "config-invalid",
    'a.json, grpo.learning_rate: expected number, got "fast".',
  ],
  [
    "spec.rubric.criteria",
    [],
    "rubric-invalid",
    "a.json, rubric.criteria: expected a number of entries of at least 1",
  ],
  [
    "spec.rubricEdits.0.rubric.criteria.1.check.type",
    "divine",
    "rubric-invalid",
    "a.json, rubricEdits[0].rubric.criteria[1].check.type: expected one of contains-any",
  ],
])("a file with a wrong %s is refused by its place", (path, value, code, message) => {
  const fault = faultOf(() => parseSettingsFile(broken(path, value), "a.json"));
  expect(fault.code).toBe(code);
  expect(fault.message).toContain(message);
});

test("a rubric's file in place of a run's says what to choose", () => {
  const fault = faultOf(() => parseSettingsFile(writeRubricFile(setUp.rubric), "rubric.json"));
  expect(fault.message).toContain(
    'rubric.json, format: expected one of "rubric-playground-settings", got nothing',
  );
  expect(fault.message).toContain("a rubric alone opens as");
});

test("a rubric comes back as it left, and a check's bad argument is named", () => {
  const read = (text: string) => importRubric(text, { name: "r.json" });
  expect(read(writeRubricFile(setUp.rubric)).set).toEqual({ ...setUp.rubric, prompts: [] });
  const at = setUp.rubric.criteria.findIndex(({ check }) => check?.type === "contains-prompt-field");
  const criteria = setUp.rubric.criteria.map((each, i) =>
    i === at
      ? { ...each, check: { type: "contains-prompt-field", args: { field: "" }, negate: false } }
      : each,
  );
  const fault = faultOf(() => read(writeRubricFile({ ...setUp.rubric, criteria })));
  expect(fault.message).toContain(
    `r.json, criteria[${at}].check.args.field: expected a length of at least 1, got ""`,
  );
});
