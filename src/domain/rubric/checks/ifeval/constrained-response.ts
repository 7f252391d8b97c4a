/** IFEval: passes when the answer holds: My answer is yes. or no. or maybe. */
import { z } from "zod";
import { instruction, matches, mode } from "./instruction.ts";

export const constrainedResponse = instruction({
  title: "says yes, no or maybe",
  help: "Passes when the answer holds: My answer is yes. or no. or maybe.",
  args: z.strictObject({ mode }),
  find: (text) => {
    const pieces = matches(text, /My answer is (?:yes|no|maybe)\./gu);
    return { follows: pieces.length > 0, said: pieces[0]?.text ?? "none of the three answers", pieces };
  },
});
