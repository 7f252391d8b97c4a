/** IFEval: passes when a postscript with that mark stands in the answer, in any case. */
import { z } from "zod";
import { instruction, matches, SPACE, strip, mode, phrase } from "./instruction.ts";

/** The reference's own patterns for its two marks; any other mark is a pattern itself. */
const MARKS: Readonly<Record<string, string>> = {
  "P.P.S": String.raw`p\.[${SPACE}]?p\.[${SPACE}]?s`,
  "P.S.": String.raw`p\.[${SPACE}]?s\.`,
};

export const postscript = instruction({
  title: "has a postscript",
  help: "Passes when a postscript with that mark stands in the answer, in any case.",
  args: z.strictObject({
    postscript_marker: phrase.describe("Its mark, such as P.S. or P.P.S"),
    mode,
  }),
  find: (text, { postscript_marker: given }) => {
    const marker = strip(given);
    const source = MARKS[marker] ?? marker.toLowerCase();
    const pieces = matches(text.toLowerCase(), new RegExp(`${source}[^\\n]*$`, "gmu"));
    return {
      follows: pieces.length > 0,
      said: `${pieces.length === 0 ? "no" : "a"} postscript with ${marker}`,
      pieces,
    };
  },
});
