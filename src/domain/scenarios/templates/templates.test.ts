/** Every template: a valid rubric of checks that exist, several categories, fluency that weighs, and nothing that lint tells of. */
import { describe, expect, it } from "vitest";
import { checkMisfits } from "../../rubric/check-misfits.ts";
import { lintRubric } from "../../rubric/lint-rubric.ts";
import { rubricSchema } from "../../rubric/schema.ts";
import { createVerdictTally } from "../../rubric/verdict-tally.ts";
import { scenarios } from "../registry.ts";
import type { Scenario } from "../scenario.ts";
import { templates } from "./registry.ts";
import { templateRubric, type RubricTemplate } from "./template.ts";

const all = Object.entries(templates).flatMap(([id, own]) =>
  own.map((template): [string, Scenario, RubricTemplate] => [
    template.title,
    scenarios[id as keyof typeof scenarios],
    template,
  ]),
);

it("has ids that differ", () => {
  expect(new Set(all.map(([, , { id }]) => id)).size).toBe(all.length);
});

describe.each(all)("%s", (_, scenario, template) => {
  const rubric = templateRubric(scenario, template);

  it("is a rubric that can be used", () => {
    expect(rubricSchema.parse(rubric)).toEqual(rubric);
    expect(checkMisfits(rubric, "")).toEqual([]);
    expect(lintRubric(rubric, createVerdictTally())).toEqual([]);
    expect(new Set(rubric.criteria.map(({ category }) => category)).size).toBeGreaterThanOrEqual(3);
    expect(rubric.criteria.find(({ check }) => check?.type === "fluency")).toMatchObject({
      weight: 8,
      required: true,
    });
  });

  it("asks for parts that the scenario's prompts hold", () => {
    const args = rubric.criteria.map(({ check }) => check?.args["field"]);
    const fields = args.filter((field) => typeof field === "string");
    const prompts = [...scenario.trainPrompts, ...scenario.heldOutPrompts];
    for (const field of fields) {
      const holds = prompts.filter((prompt) => typeof prompt.fields[field] === "string");
      expect(holds.length).toBe(prompts.length);
    }
  });

  it("names no criterion that the scenario has not", () => {
    const odd = { ...template, weights: { ...template.weights, nobody: 1 } };
    expect(() => templateRubric(scenario, odd)).toThrow('no criterion "nobody"');
  });
});
