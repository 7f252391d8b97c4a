/** IFEval: passes when the answer has at least that many [placeholders]. */
import { z } from "zod";
import { instruction, matches, mode } from "./instruction.ts";

export const numberPlaceholders = instruction({
  title: "placeholders in square brackets",
  help: "Passes when the answer has at least that many [placeholders].",
  args: z.strictObject({ num_placeholders: z.int().positive().describe("How many at least"), mode }),
  find: (text, { num_placeholders: asked }) => {
    const pieces = matches(text, /\[[^\n]*?\]/gu);
    return {
      follows: pieces.length >= asked,
      said: `${pieces.length} placeholders, asked: at least ${asked}`,
      pieces,
    };
  },
});
