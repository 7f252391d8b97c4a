/** Check: the answer matches a regular expression that the person writes, run in the sandbox with a time limit. */
import { z } from "zod";
import { judgePattern } from "./ask-sandbox.ts";
import { defineAskingCheck } from "./check.ts";

/** Compiled, never run: what it costs to run is known only to the sandbox. */
export const patternSchema = z
  .string()
  .min(1)
  .refine(compiles, { error: "a regular expression as JavaScript reads it" });

export const flagsSchema = z
  .string()
  .regex(/^(?!.*(.).*\1)[dimsuvy]*$/, "some of the flags i, m, s, u, v, y, d, each once");

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern) instanceof RegExp;
  } catch {
    return false;
  }
}

export const ownPattern = defineAskingCheck({
  title: "matches your pattern",
  help: "Passes when the regular expression matches somewhere in the answer; one that takes too long gives no verdict.",
  args: z.strictObject({
    pattern: patternSchema.describe("Regular expression, e.g. #\\d{5}"),
    flags: flagsSchema
      .default("")
      .describe("Flags: i ignores case, m lets ^ and $ mean lines, s lets . be a line's end"),
  }),
  ask: (answers, args, _prompt, tools) => judgePattern(tools, args, answers),
});
