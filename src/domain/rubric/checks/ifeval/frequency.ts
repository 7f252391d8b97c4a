/** IFEval: passes when the keyword stands in the answer as often as asked, in any case, also within a word. */
import { z } from "zod";
import {
  compares,
  instruction,
  keywordPattern,
  matches,
  relation,
  strip,
  mode,
  phrase,
} from "./instruction.ts";

export const frequency = instruction({
  title: "uses a word so often",
  help: "Passes when the keyword stands in the answer as often as asked, in any case, also within a word.",
  args: z.strictObject({
    keyword: phrase.describe("Keyword"),
    frequency: z.int().positive().describe("How often"),
    relation: relation.describe("Fewer than it, or at least it"),
    mode,
  }),
  find: (text, { keyword, frequency, relation: asked }) => {
    const pieces = matches(text, keywordPattern(strip(keyword)));
    const said = `${pieces.length} times "${keyword}", asked: ${asked} ${frequency}`;
    return { follows: compares(pieces.length, asked, frequency), said, pieces };
  },
});
