/** IFEval: passes when the answer is English and in lowercase letters alone. */
import { z } from "zod";
import { isLanguage, loadLanguages } from "./languages.ts";
import { instruction, isLower, mode } from "./instruction.ts";

export const englishLowercase = instruction({
  title: "English, lowercase alone",
  help: "Passes when the answer is English and in lowercase letters alone.",
  args: z.strictObject({ mode }),
  load: loadLanguages,
  find: (text) => {
    const follows = isLower(text) && isLanguage(text, "en");
    return { follows, said: follows ? "English lowercase alone" : "not English in lowercase alone" };
  },
});
