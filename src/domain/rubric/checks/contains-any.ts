/** Check: the answer holds at least one of the given phrases. */
import { z } from "zod";
import { failed, findAny, listOf, passed } from "./answer-text.ts";
import { defineCheck } from "./check.ts";

export const phrasesSchema = z
  .array(z.string().trim().min(1))
  .min(1)
  .describe("Words or phrases, one a line; upper and lower case count the same");

export const containsAny = defineCheck({
  title: "contains one of",
  help: "Passes when the answer holds at least one of the phrases as whole words, ignoring case.",
  args: z.strictObject({ phrases: phrasesSchema }),
  judge(answer, { phrases }) {
    const found = findAny(answer.text, phrases);
    const first = found[0];
    return first === undefined
      ? failed(`none of ${listOf(phrases)}`)
      : passed(`contains "${first.text}"`, found);
  },
});
