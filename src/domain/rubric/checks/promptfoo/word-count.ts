/** promptfoo `word-count`: words are what stands between white space. */
import { z } from "zod";
import { failed, passed } from "../answer-text.ts";
import { defineCheck } from "../check.ts";

export const promptfooWordCount = defineCheck({
  title: "length between spaces",
  help: "Passes when the number of words between white space is in the bounds.",
  args: z
    .strictObject({
      min: z.number().nonnegative().optional().describe("Fewest words"),
      max: z.number().nonnegative().optional().describe("Most words"),
    })
    .refine(({ min, max }) => min !== undefined || max !== undefined, { error: "a fewest or a most" })
    .refine(({ min = 0, max = Infinity }) => min <= max, {
      error: "the fewest words must not be more than the most",
    }),
  judge: ({ text }, { min, max }) => {
    const count = wordsBetweenSpaces(text).length;
    const said = `${count} words, asked: ${min ?? "any"} to ${max ?? "any"}`;
    return count >= (min ?? 0) && count <= (max ?? Infinity) ? passed(said) : failed(said);
  },
});

export function wordsBetweenSpaces(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}
