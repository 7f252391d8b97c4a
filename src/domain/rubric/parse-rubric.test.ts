import { describe, expect, it } from "vitest";
import { PlaygroundError } from "../../base/errors.ts";
import { parseRubric } from "./parse-rubric.ts";

const criterion = { id: "a", text: "greets by name", category: "tone", weight: 2 };

function faultOf(input: unknown, source?: string): PlaygroundError {
  try {
    parseRubric(input, source);
  } catch (error) {
    if (error instanceof PlaygroundError) return error;
    throw error;
  }
  throw new Error("the rubric was taken");
}

describe("a rubric", () => {
  it("is read from text or value, with defaults", () => {
    const value = { title: "t", criteria: [criterion] };
    const filled = { title: "t", criteria: [{ ...criterion, required: false, veto: false, check: null }] };
    expect(parseRubric(value)).toEqual(filled);
    expect(parseRubric(JSON.stringify(value))).toEqual(filled);
  });

  it("that is no JSON names the file and the parser's words", () => {
    const fault = faultOf('{"title": "t",', "my-rubric.json");
    expect(fault.code).toBe("rubric-invalid");
    expect(fault.message).toMatch(/^my-rubric\.json: expected JSON, got .*JSON.*\. Check the text/);
  });

  it.each([
    [
      "a weight below 0",
      { ...criterion, weight: -1 },
      "rubric, criteria[0].weight: expected at least 0, got -1.",
    ],
    [
      "a weight in words",
      { ...criterion, weight: "high" },
      'rubric, criteria[0].weight: expected number, got "high".',
    ],
    [
      "an infinite weight",
      { ...criterion, weight: Infinity },
      "rubric, criteria[0].weight: expected number, got Infinity.",
    ],
    [
      "a veto",
      { ...criterion, veto: true },
      "rubric, criteria[0].veto: expected false: no reward rule here reads a veto yet, so it would change nothing, got true.",
    ],
    ["no text", { ...criterion, text: undefined }, "rubric, criteria[0].text: expected string, got nothing."],
    [
      "an empty id",
      { ...criterion, id: "" },
      'rubric, criteria[0].id: expected a length of at least 1, got "".',
    ],
    [
      "an unknown field",
      { ...criterion, point: 2 },
      'rubric, criteria[0]: expected known fields only, got unknown "point".',
    ],
  ])("with %s is refused by place, expected and got", (_, bad, message) => {
    expect(faultOf({ title: "t", criteria: [bad] }).message.startsWith(message)).toBe(true);
  });

  it("without criteria, with all weights 0 or with an id twice is refused", () => {
    expect(faultOf({ title: "t", criteria: [] }).message).toContain("at least 1, got an empty list");
    const unweighted = faultOf({ title: "t", criteria: [{ ...criterion, weight: 0 }] });
    expect(unweighted.where).toBe("rubric, criteria");
    expect(unweighted.message).toContain("all weights are 0");
    const twice = faultOf({ title: "t", criteria: [criterion, criterion] });
    expect(twice.where).toBe("rubric, criteria[1].id");
    expect(twice.message).toContain('"a" is used twice');
  });

  it.each([null, 3, [], "[]", "null"])("that is %j is refused as a whole", (input) => {
    expect(faultOf(input).where).toBe("rubric");
  });

  it("with many problems lists 20 of them and counts the rest", () => {
    const bad = Array.from({ length: 30 }, (_, index) => ({ ...criterion, id: `c${index}`, weight: -1 }));
    const { message } = faultOf({ title: "t", criteria: [criterion, ...bad] });
    expect(message.match(/criteria\[\d+\]\.weight/g)).toHaveLength(20);
    expect(message).toContain("and 10 more");
  });
});
