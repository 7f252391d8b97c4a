/** IFEval: passes when none of the words stands in the answer, in any case. */
import { z } from "zod";
import { instruction, keywordPattern, matches, mode, phrase } from "./instruction.ts";

export const forbiddenWords = instruction({
  title: "uses none of these words",
  help: "Passes when none of the words stands in the answer, in any case.",
  args: z.strictObject({
    forbidden_words: z.array(phrase).min(1).describe("Forbidden words"),
    mode,
  }),
  find: (text, { forbidden_words: words }) => {
    const pieces = words.flatMap((word) => matches(text, keywordPattern(word, true)));
    const said =
      pieces.length === 0 ? "none of the words" : `there: ${pieces.map((piece) => piece.text).join(", ")}`;
    return { follows: pieces.length === 0, said, pieces };
  },
});
