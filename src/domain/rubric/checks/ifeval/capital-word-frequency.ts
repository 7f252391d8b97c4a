/** IFEval: passes when as many words as asked are in capitals, cut as NLTK's tokenizer does. */
import { z } from "zod";
import { tokens } from "./word-tokens.ts";
import { compares, instruction, isUpper, relation, mode } from "./instruction.ts";

export const capitalWordFrequency = instruction({
  title: "words in capitals",
  help: "Passes when as many words as asked are in capitals, cut as NLTK's tokenizer does.",
  args: z.strictObject({
    capital_frequency: z.int().positive().describe("How many"),
    capital_relation: relation.describe("Fewer than it, or at least it"),
    mode,
  }),
  find: (text, { capital_frequency: threshold, capital_relation: asked }) => {
    const count = tokens(text).filter(isUpper).length;
    const said = `${count} words in capitals, asked: ${asked} ${threshold}`;
    return { follows: compares(count, asked, threshold), said };
  },
});
