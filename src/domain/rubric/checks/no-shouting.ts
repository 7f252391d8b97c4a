/** Check: no run of words in capitals. One such word is no shouting (TV, OK, USB); an empty answer fails. */
import { z } from "zod";
import { failed, findPattern, isEmpty, passed } from "./answer-text.ts";
import { defineCheck } from "./check.ts";

export const noShouting = defineCheck({
  title: "does not shout",
  help: "Fails when words stand in capitals in a row; a short word such as I or A may stand between them.",
  args: z.strictObject({
    words: z
      .int()
      .min(1)
      .max(10)
      .default(2)
      .describe("So many words of two or more capitals in a row are shouting"),
  }),
  judge(answer, { words }) {
    if (isEmpty(answer.text)) return failed("the answer is empty");
    const runs = findPattern(answer.text, /(?<!\p{L})\p{Lu}+(?!\p{L})(?:[^\p{L}\n]+\p{Lu}+(?!\p{L}))*/gu);
    const loud = runs.filter((run) => (run.text.match(/\p{Lu}{2,}/gu) ?? []).length >= words);
    const first = loud[0];
    return first === undefined ? passed("nothing in capitals") : failed(`shouts "${first.text}"`, loud);
  },
});
