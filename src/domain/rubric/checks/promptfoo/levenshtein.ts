/** promptfoo `levenshtein`: single letters added, taken or changed, counted by fastest-levenshtein as there. */
import { distance } from "fastest-levenshtein";
import { z } from "zod";
import { failed, passed } from "../answer-text.ts";
import { defineCheck } from "../check.ts";

export const levenshtein = defineCheck({
  title: "is a few letters from",
  help: "Passes when few letters have to be added, taken away or changed to get the text.",
  args: z.strictObject({
    value: z.string().describe("Text"),
    threshold: z.number().nonnegative().default(5).describe("Most letters added, taken away or changed"),
  }),
  judge: ({ text }, { value, threshold }) => {
    const edits = distance(text, value);
    const said = `${edits} letters apart, at most ${threshold}`;
    return edits <= threshold ? passed(said) : failed(said);
  },
});
