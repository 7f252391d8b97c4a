/** promptfoo `regex`: a pattern without flags, run in the sandbox. */
import { z } from "zod";
import { judgePattern } from "../ask-sandbox.ts";
import { defineAskingCheck } from "../check.ts";
import { patternSchema } from "../own-pattern.ts";

export const regex = defineAskingCheck({
  title: "matches a pattern",
  help: "Passes when the regular expression, without flags, matches somewhere in the answer.",
  args: z.strictObject({ value: patternSchema.describe("Regular expression") }),
  ask: (answers, { value }, _prompt, tools) => judgePattern(tools, { pattern: value, flags: "" }, answers),
});
