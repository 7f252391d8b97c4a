/** IFEval: passes when at least that many *sections* are highlighted with asterisks. */
import { z } from "zod";
import { instruction, matches, strip, mode } from "./instruction.ts";

export const numberHighlightedSections = instruction({
  title: "highlighted sections",
  help: "Passes when at least that many *sections* are highlighted with asterisks.",
  args: z.strictObject({ num_highlights: z.int().positive().describe("How many at least"), mode }),
  find: (text, { num_highlights: asked }) => {
    const single = matches(text, /\*[^\n*]*\*/gu).filter(
      ({ text: each }) => strip(each.replace(/^\*+|\*+$/g, "")) !== "",
    );
    const double = matches(text, /\*\*[^\n*]*\*\*/gu).filter(
      ({ text: each }) => strip(each.slice(2, -2)) !== "",
    );
    const pieces = [...single, ...double];
    return {
      follows: pieces.length >= asked,
      said: `${pieces.length} highlights, asked: at least ${asked}`,
      pieces,
    };
  },
});
