/** IFEval: passes when the answer is English and in capital letters alone. */
import { z } from "zod";
import { capitalLanguage, isForCapitals, loadCapitals } from "./capital-language.ts";
import { isLanguage, loadLanguages } from "./languages.ts";
import { instruction, isUpper, mode } from "./instruction.ts";

export const englishCapital = instruction({
  title: "English, capitals alone",
  help: "Passes when the answer is English and in capital letters alone.",
  args: z.strictObject({ mode }),
  load: async () => {
    await Promise.all([loadLanguages(), loadCapitals()]);
  },
  find: (text) => {
    const follows = isUpper(text) && isEnglish(text);
    return { follows, said: follows ? "English capitals alone" : "not English in capitals alone" };
  },
});

/** Also where no language can be told: the reference counts that as followed. */
function isEnglish(text: string): boolean {
  if (!isForCapitals(text)) return isLanguage(text, "en");
  const language = capitalLanguage(text);
  return language === null || language === "en";
}
