/** promptfoo `javascript`: an expression or the body of a function, run in the sandbox; a number passes from the threshold on. */
import { z } from "zod";
import { judgeExpression } from "../ask-sandbox.ts";
import { defineAskingCheck } from "../check.ts";
import { codeSchema } from "../own-expression.ts";

export const javascript = defineAskingCheck({
  title: "expression, as promptfoo's",
  help: "JavaScript over output and context.vars; several lines are a function's body with its own return.",
  args: z.strictObject({
    value: codeSchema.describe("Expression, or lines with a return"),
    threshold: z.number().optional().describe("A number counts as yes from here on; left out: as it is"),
  }),
  ask: async (answers, { value, threshold }, { text, fields }, tools) => {
    const task = { kind: "expression", code: value, prompt: { text, fields } } as const;
    const judged = await judgeExpression(tools, task, answers);
    if (threshold === undefined) return judged;
    return judged.map((each) => ({
      ...each,
      verdict: each.verdict === null ? null : each.verdict >= threshold ? 1 : 0,
    }));
  },
});
