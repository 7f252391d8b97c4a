import { describe, expect, it } from "vitest";
import { z } from "zod";
import { parseJson, problemsError, problemsOf } from "./schema-problems.ts";

describe("what a schema found wrong", () => {
  it.each([
    ["a bound that is left out", z.number().gt(0), 0, "more than 0", "0"],
    ["a bound above", z.number().lt(1), 1, "less than 1", "1"],
    [
      "too many entries",
      z.array(z.number()).max(1),
      [1, 2],
      "a number of entries of at most 1",
      "a list of 2",
    ],
    ["an object", z.string(), {}, "string", "an object"],
    ["null", z.string(), null, "string", "null"],
    ["60 signs", z.number(), "x".repeat(58), "number", `"${"x".repeat(58)}"`],
    ["61 signs", z.number(), "x".repeat(59), "number", `"${"x".repeat(59)}…`],
  ])("%s", (_, schema, input, ...[expected, got]) => {
    const result = schema.safeParse(input);
    expect(problemsOf(result.error as z.ZodError, input)).toEqual([{ path: "", expected, got }]);
  });

  it("is one error: the first problem, the others after what to do next", () => {
    const report = { code: "rubric-invalid", source: "file", next: "Mend it." } as const;
    const problem = { path: "a", expected: "1", got: "2" };
    expect(problemsError({ ...report, problems: [problem] }).message).toBe(
      "file, a: expected 1, got 2. Mend it.",
    );
    expect(problemsError({ ...report, problems: [problem, { ...problem, path: "" }] }).message).toBe(
      "file, a: expected 1, got 2. Mend it. Further problems: the whole: expected 1, got 2.",
    );
  });

  it("keeps the parser's error as the cause", () => {
    expect(() => parseJson("{", "rubric-invalid", "file")).toThrow(
      expect.objectContaining({ cause: expect.any(SyntaxError) as unknown }),
    );
  });
});
