/** IFEval: passes when the whole answer stands in double quotation marks. */
import { z } from "zod";
import { instruction, strip, mode } from "./instruction.ts";

export const quotation = instruction({
  title: "is in quotation marks",
  help: "Passes when the whole answer stands in double quotation marks.",
  args: z.strictObject({ mode }),
  find: (text) => {
    const follows = /^".*"$/su.test(strip(text));
    return { follows, said: follows ? "in quotation marks" : "not in quotation marks" };
  },
});
