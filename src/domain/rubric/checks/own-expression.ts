/** Check: an expression that the person writes says yes, no or how much, run in the sandbox with a time limit. */
import { z } from "zod";
import { judgeExpression } from "./ask-sandbox.ts";
import { defineAskingCheck } from "./check.ts";

export const codeSchema = z
  .string()
  .trim()
  .min(1)
  .refine((code) => !/\bimport\b/.test(code), { error: "code without the word import" });

export const ownExpression = defineAskingCheck({
  title: "your expression",
  help: "A JavaScript expression over output (the answer), prompt and context.vars: true, false or a number from 0 to 1.",
  args: z.strictObject({
    code: codeSchema.describe("Expression, e.g. output.split(' ').length < 40"),
  }),
  ask: (answers, { code }, { text, fields }, tools) =>
    judgeExpression(tools, { kind: "expression", code, prompt: { text, fields } }, answers),
});
