import { expect, test } from "vitest";
import { grpoConfigSchema, loraConfigSchema } from "../../../domain/grpo/config.ts";
import { pow3rConfigSchema } from "../../../domain/run/spec.ts";
import { en } from "../text/en.ts";
import { runFieldsSchema } from "./draft.ts";
import { settingLabel, settingMeaning, type SettingGroup } from "./setting-words.ts";

const groups: readonly [SettingGroup, object][] = [
  ["grpo", grpoConfigSchema.omit({ lora: true }).shape],
  ["lora", loraConfigSchema.shape],
  ["pow3r", pow3rConfigSchema.shape],
  ["run", runFieldsSchema.shape],
];
const fields = groups.flatMap(([group, shape]) => Object.keys(shape).map((name) => [group, name] as const));

test.each(fields)("%s.%s has a plain name and a sentence", (group, name) => {
  expect(settingLabel(en, group, name)).not.toContain("_");
  expect(settingMeaning(en, group, name)).toMatch(/^.{20,}\.$/);
});

test("POW3R's epsilon is not GRPO's clip", () => {
  expect(settingLabel(en, "pow3r", "epsilon")).not.toBe(settingLabel(en, "grpo", "epsilon"));
  expect(settingMeaning(en, "pow3r", "epsilon")).not.toBe(settingMeaning(en, "grpo", "epsilon"));
});
