/** IFEval: passes when the answer is English and in capital letters alone. */
import { z } from "zod";
import { isLanguage, loadLanguages } from "./languages.ts";
import { instruction, isUpper, mode } from "./instruction.ts";

export const englishCapital = instruction({
  title: "English, capitals alone",
  help: "Passes when the answer is English and in capital letters alone.",
  args: z.strictObject({ mode }),
  load: loadLanguages,
  find: (text) => {
    const follows = isUpper(text) && isLanguage(text, "en");
    return { follows, said: follows ? "English capitals alone" : "not English in capitals alone" };
  },
});
