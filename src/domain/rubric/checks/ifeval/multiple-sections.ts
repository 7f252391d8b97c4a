/** IFEval: passes when the answer has at least that many sections that begin with the word and a number. */
import { z } from "zod";
import { instruction, matches, SPACE, strip, mode, phrase } from "./instruction.ts";

const GAP = `[${SPACE}]?`;

export const multipleSections = instruction({
  title: "number of sections",
  help: "Passes when the answer has at least that many sections that begin with the word and a number.",
  args: z.strictObject({
    section_spliter: phrase.describe("Word that begins a section, such as Section"),
    num_sections: z.int().positive().describe("How many at least"),
    mode,
  }),
  find: (text, { section_spliter: splitter, num_sections: asked }) => {
    const pattern = new RegExp(`${GAP}${strip(splitter)}${GAP}\\p{Nd}+${GAP}`, "gu");
    const pieces = matches(text, pattern);
    return {
      follows: pieces.length >= asked,
      said: `${pieces.length} sections, asked: at least ${asked}`,
      pieces,
    };
  },
});
