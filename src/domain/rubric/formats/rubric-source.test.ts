/** The source of a rubric: there and back, and each fault at its own place in the text. */
import { describe, expect, it } from "vitest";
import { scenarios } from "../../scenarios/registry.ts";
import type { Scenario } from "../../scenarios/scenario.ts";
import { readSource, SOURCE_FORMS, writeSource, type SourceForm } from "./rubric-source.ts";

const all: Scenario[] = Object.values(scenarios);

describe.each(SOURCE_FORMS)("as %s", (form) => {
  it("every bundled rubric comes back as it was", () => {
    for (const { rubric } of all.flatMap(({ setUps }) => setUps)) {
      expect(readSource(writeSource(rubric, form), form)).toEqual({ rubric, problems: [] });
    }
  });

  it("keeps what does not stand at its default", () => {
    const [first] = all[0]?.setUps[0].rubric.criteria ?? [];
    if (first === undefined) throw new Error("a criterion");
    const check = { type: "no-emoji", args: {}, negate: true };
    const criteria = [{ ...first, required: true, check, penalty: true as const, prompts: ["p"] }];
    const rubric = { title: "t", criteria };
    expect(readSource(writeSource(rubric, form), form).rubric).toEqual(rubric);
    expect(writeSource(rubric, form)).not.toContain("veto");
  });
});

/** The marked texts and what is said of them. */
function said(text: string, form: SourceForm): string[] {
  const { rubric, problems } = readSource(text, form);
  if (problems.length > 0) expect(rubric).toBeNull();
  return problems.map(({ from, to, expected, got }) => `${text.slice(from, to)} | ${expected} | ${got}`);
}

const YAML = `title: Reply
criteria:
  - id: a
    text: Says sorry
    category: Tone
    weight: 2
    check:
      type: contains-any
      args:
        phrases: [sorry]
  - id: b
    text: Is short
    category: Tone
    weight: 1
`;

describe("what is wrong", () => {
  it("is nothing in a rubric that is right", () => {
    expect(said(YAML, "yaml")).toEqual([]);
  });

  it.each([
    ["weight: 2", "weight: two", 'weight: two | number | "two"'],
    ["weight: 2", "weight: -1", "weight: -1 | at least 0 | -1"],
    ["weight: 2", "wieght: 2", "wieght: 2 | known fields only"],
    ["id: b", "id: a", "id: a | the id"],
    ["    category: Tone\n    weight: 1", "    weight: 1", "id: b | string | nothing"],
    ["type: contains-any", "type: says-sorry", "type: says-sorry | one of"],
    ["phrases: [sorry]", "phrases: []", "phrases: [] | "],
    ["title: Reply\n", "", "criteria: | string | nothing"],
  ])("%s -> %s", (right, wrong, told) => {
    const problems = said(YAML.replace(right, wrong), "yaml");
    expect(problems.some((problem) => problem.startsWith(told))).toBe(true);
  });

  it("is told all at once", () => {
    expect(
      said(YAML.replace("weight: 2", "weight: two").replace("weight: 1", "weight: -3"), "yaml"),
    ).toHaveLength(2);
  });

  it("is told of YAML by its place", () => {
    const [problem] = said(YAML.replace("  - id: b", "  - id: b: c"), "yaml");
    expect(problem).toContain(" | YAML | ");
    expect(problem).toMatch(/^b/);
  });

  it("is told of JSON that only YAML would take", () => {
    const json = writeSource(
      { title: "t", criteria: readSource(YAML, "yaml").rubric?.criteria ?? [] },
      "json",
    );
    expect(said(json, "json")).toEqual([]);
    const odd = json.replace('"weight": 2,', '"weight": 2,,');
    const from = readSource(odd, "json").problems[0]?.from ?? 0;
    expect(odd.slice(0, from).split("\n").length).toBe(
      odd.split("\n").findIndex((line) => line.includes(",,")) + 1,
    );
    expect(said("{title: t}", "json")).toEqual([
      "title: t} | a field name in double quotes or } | title: t}",
    ]);
    expect(said("", "json")).toEqual([" | a value | the end"]);
  });

  it("is told of a text that is no rubric at all", () => {
    expect(said("", "yaml")[0]).toContain("object");
    expect(said("- a\n- b\n", "yaml")[0]).toContain("object");
    const bomb = ["a: &a [x, x, x, x, x, x, x, x, x]"];
    for (const [name, of] of ["ba", "cb", "dc", "ed", "fe"].map((pair) => [pair[0], pair[1]]))
      bomb.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${of}`).join(", ")}]`);
    expect(said(bomb.join("\n"), "yaml").length).toBeGreaterThan(0);
  });
});
