/** IFEval: passes when the answer holds no comma. */
import { z } from "zod";
import { instruction, matches, mode } from "./instruction.ts";

export const noComma = instruction({
  title: "uses no comma",
  help: "Passes when the answer holds no comma.",
  args: z.strictObject({ mode }),
  find: (text) => {
    const pieces = matches(text, /,/gu);
    return { follows: pieces.length === 0, said: `${pieces.length} commas`, pieces };
  },
});
