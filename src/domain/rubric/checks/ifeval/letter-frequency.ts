/** IFEval: passes when the letter stands in the answer as often as asked, in any case. */
import { z } from "zod";
import { compares, instruction, relation, mode } from "./instruction.ts";

export const letterFrequency = instruction({
  title: "uses a letter so often",
  help: "Passes when the letter stands in the answer as often as asked, in any case.",
  args: z.strictObject({
    letter: z
      .string()
      .regex(/^[a-z]$/i, "one letter from a to z")
      .describe("Letter"),
    let_frequency: z.int().positive().describe("How often"),
    let_relation: relation.describe("Fewer than it, or at least it"),
    mode,
  }),
  find: (text, { letter, let_frequency: threshold, let_relation: asked }) => {
    const count = text.toLowerCase().split(letter.toLowerCase()).length - 1;
    const said = `${count} times the letter ${letter}, asked: ${asked} ${threshold}`;
    return { follows: compares(count, asked, threshold), said };
  },
});
