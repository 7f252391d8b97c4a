/** IFEval: passes when the answer has as many sentences as asked, cut by the Punkt rules for English. */
import { z } from "zod";
import { countSentences } from "./punkt.ts";
import { compares, instruction, relation, mode } from "./instruction.ts";

export const numberSentences = instruction({
  title: "number of sentences",
  help: "Passes when the answer has as many sentences as asked, cut by the Punkt rules for English.",
  args: z.strictObject({
    num_sentences: z.int().positive().describe("How many"),
    relation: relation.describe("Fewer than it, or at least it"),
    mode,
  }),
  find: (text, { num_sentences: threshold, relation: asked }) => {
    const count = countSentences(text);
    const said = `${count} sentences, asked: ${asked} ${threshold}`;
    return { follows: compares(count, asked, threshold), said };
  },
});
