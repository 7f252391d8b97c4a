/** IFEval: passes when the answer begins with the request, in any case. */
import { z } from "zod";
import { instruction, strip, mode } from "./instruction.ts";

export const repeatPrompt = instruction({
  title: "repeats the request first",
  help: "Passes when the answer begins with the request, in any case.",
  args: z.strictObject({ prompt_to_repeat: z.string().min(1).describe("The request"), mode }),
  find: (text, { prompt_to_repeat: request }) => {
    const follows = strip(text).toLowerCase().startsWith(strip(request).toLowerCase());
    return { follows, said: follows ? "begins with the request" : "does not begin with the request" };
  },
});
