/** IFEval: passes when the answer has as many words (runs of letters, digits or _) as asked. */
import { z } from "zod";
import { compares, instruction, matches, relation, WORD, mode } from "./instruction.ts";

const WORDS = new RegExp(`[${WORD}]+`, "gu");

export const numberWords = instruction({
  title: "number of words",
  help: "Passes when the answer has as many words (runs of letters, digits or _) as asked.",
  args: z.strictObject({
    num_words: z.int().positive().describe("How many"),
    relation: relation.describe("Fewer than it, or at least it"),
    mode,
  }),
  find: (text, { num_words: threshold, relation: asked }) => {
    const count = matches(text, WORDS).length;
    const said = `${count} words, asked: ${asked} ${threshold}`;
    return { follows: compares(count, asked, threshold), said };
  },
});
