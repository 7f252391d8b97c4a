/** IFEval: passes when the answer ends with the phrase, in any case, quotation marks aside. */
import { z } from "zod";
import { instruction, strip, mode } from "./instruction.ts";

export const endChecker = instruction({
  title: "ends with a phrase",
  help: "Passes when the answer ends with the phrase, in any case, quotation marks aside.",
  args: z.strictObject({ end_phrase: z.string().min(1).describe("Phrase"), mode }),
  find: (text, { end_phrase: phrase }) => {
    const end = strip(text)
      .replace(/^"+|"+$/g, "")
      .toLowerCase();
    const follows = end.endsWith(strip(phrase).toLowerCase());
    return { follows, said: `${follows ? "ends" : "does not end"} with "${phrase}"` };
  },
});
