/** IFEval: passes when a detector takes the answer for that language; also where it can tell none. */
import { z } from "zod";
import { isLanguage, LANGUAGES, loadLanguages } from "./languages.ts";
import { instruction, mode } from "./instruction.ts";

export const responseLanguage = instruction({
  title: "is written in a language",
  help: "Passes when a detector takes the answer for that language; also where it can tell none.",
  args: z.strictObject({ language: z.enum(LANGUAGES).describe("Language, by its two letters"), mode }),
  load: loadLanguages,
  find: (text, { language }) => {
    const follows = isLanguage(text, language);
    return { follows, said: `${follows ? "seems" : "does not seem"} to be ${language}` };
  },
});
