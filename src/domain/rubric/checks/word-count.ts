/** Check: the answer's length in words (runs of letters or digits) lies between two bounds, both included. */
import { z } from "zod";
import { failed, passed, wordsOf } from "./answer-text.ts";
import { defineCheck } from "./check.ts";

export const wordCount = defineCheck({
  title: "length in words",
  help: "Passes when the number of words is at least the minimum and at most the maximum.",
  args: z
    .strictObject({
      min: z.int().nonnegative().default(1).describe("Fewest words"),
      max: z.int().min(1).default(60).describe("Most words"),
    })
    .refine(({ min, max }) => min <= max, { error: "the fewest words must not be more than the most" }),
  judge(answer, { min, max }) {
    const count = wordsOf(answer.text).length;
    const said = `${count} words, asked: ${min} to ${max}`;
    return count >= min && count <= max ? passed(said) : failed(said);
  },
});
