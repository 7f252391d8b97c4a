/** IFEval: passes when every keyword stands in the answer, in any case, also within a word. */
import { z } from "zod";
import { instruction, keywordPattern, matches, mode, phrase } from "./instruction.ts";

export const existence = instruction({
  title: "uses all of these words",
  help: "Passes when every keyword stands in the answer, in any case, also within a word.",
  args: z.strictObject({
    keywords: z.array(phrase).min(1).describe("Keywords"),
    mode,
  }),
  find: (text, { keywords }) => {
    const found = keywords.map((keyword) => matches(text, keywordPattern(keyword)));
    const absent = keywords.filter((_, i) => found[i]?.length === 0);
    const said = absent.length === 0 ? "every keyword is there" : `not there: ${absent.join(", ")}`;
    return { follows: absent.length === 0, said, pieces: found.flat() };
  },
});
