/** Every bundled scenario: valid run pieces, disjoint splits, a fluency criterion that weighs, checks that exist; and own prompts. */
import { describe, expect, it } from "vitest";
import { drawRows } from "../../../scripts/model/corpus/rows.ts";
import { grpoConfigSchema } from "../grpo/config.ts";
import { fluency } from "../rubric/checks/fluency.ts";
import { checks } from "../rubric/checks/registry.ts";
import type { CheckDef } from "../rubric/checks/check.ts";
import { pow3rConfigSchema, scenarioPromptSchema } from "../run/spec.ts";
import { findFields, ownPrompts } from "./own-prompts.ts";
import { scenarios } from "./registry.ts";
import type { Scenario } from "./scenario.ts";

const all: [string, Scenario][] = Object.entries(scenarios);
const table: Record<string, CheckDef | undefined> = checks;

describe.each(all)("scenario %s", (id, scenario) => {
  const prompts = [...scenario.trainPrompts, ...scenario.heldOutPrompts];

  it("has prompts that differ, in both splits", () => {
    expect(scenario.id).toBe(id);
    expect(scenario.trainPrompts.length).toBeGreaterThan(0);
    expect(scenario.heldOutPrompts.length).toBeGreaterThan(0);
    expect(new Set(prompts.map((prompt) => prompt.messages[0]?.content)).size).toBe(prompts.length);
    expect(new Set(prompts.map((prompt) => prompt.id)).size).toBe(prompts.length);
    for (const prompt of prompts) expect(scenarioPromptSchema.parse(prompt)).toEqual(prompt);
  });

  it("asks for parts that its prompts hold", () => {
    for (const { check } of scenario.setUps[0].rubric.criteria) {
      const field = check?.args["field"];
      if (typeof field !== "string") continue;
      for (const prompt of prompts) expect(prompt.fields).toHaveProperty(field);
    }
  });

  it.each(scenario.setUps.map((setUp) => [setUp.id, setUp] as const))(
    "set-up %s can be run",
    (setUpId, setUp) => {
      expect(() => grpoConfigSchema.parse(setUp.grpo)).not.toThrow();
      expect(pow3rConfigSchema.parse(setUp.pow3r).alpha_update).toBe("step");
      const { criteria } = setUp.rubric;
      for (const { check } of criteria) {
        expect(table[check?.type ?? ""]?.args.safeParse(check?.args).success).toBe(true);
      }
      const fluent = criteria.find(({ check }) => check?.type === "fluency");
      expect(fluent?.weight).toBeGreaterThanOrEqual(3);
      expect(criteria.filter(({ weight }) => weight === 10)).toHaveLength(setUpId === "mild" ? 0 : 5);
    },
  );
});

describe("the corpus and its prompts", () => {
  it("are well formed by the fluency check, almost without exception", () => {
    const rows = (["full", "rich", "base"] as const).flatMap((phase) =>
      drawRows(1_500, { seed: 99, phase, split: "train" }),
    );
    const broken = rows.filter(
      ({ prompt, reply, fields }) =>
        fluency.judge({ text: reply, ended: true }, { words: "in order" }, { text: prompt, fields })
          .verdict !== 1,
    );
    expect(broken.length / rows.length).toBeLessThan(0.002);
  });

  it("never hold a prompt of a scenario", () => {
    const held = new Set(
      all
        .flatMap(([, { trainPrompts, heldOutPrompts }]) => [...trainPrompts, ...heldOutPrompts])
        .map((prompt) => prompt.messages[0]?.content),
    );
    const rows = drawRows(6_000, { seed: 1, phase: "base", split: "train" });
    expect(rows.filter(({ prompt }) => held.has(prompt))).toEqual([]);
  });
});

describe("own prompts", () => {
  it("finds the parts that the model knows", () => {
    const text = "Hi, Omar here: the printer (order #17065) does not start. Please help.";
    expect(findFields(text)).toEqual({
      name: "Omar",
      product: "printer",
      order: "17065",
      problem: "does not start",
      cause: "blown fuse",
    });
    expect(findFields("I am Uma. My knee has a red rash.")).toMatchObject({
      name: "Uma",
      injury: "a red rash",
      part: "knee",
      first: "damp towel",
    });
  });

  it("takes a name outside the list where the person gives it, and invents nothing", () => {
    expect(findFields("My name is Quentin and my spoon is bent")).toEqual({ name: "Quentin" });
    expect(findFields("Żaneta here, hello")).toEqual({ name: "Żaneta" });
    expect(findFields("what is a kettles drum 12")).toEqual({});
  });

  it("makes a prompt of each line", () => {
    const prompts = ownPrompts("  One \r\n\n Two Amara\n");
    expect(prompts.map(({ id, messages, fields }) => [id, messages[0]?.content, fields])).toEqual([
      ["own-1", "One", {}],
      ["own-2", "Two Amara", { name: "Amara" }],
    ]);
  });
});
