/** Check: the answer begins with one of the given phrases. */
import { z } from "zod";
import { failed, findPhrase, listOf, passed } from "./answer-text.ts";
import { defineCheck } from "./check.ts";
import { phrasesSchema } from "./contains-any.ts";

export const startsWithAny = defineCheck({
  title: "starts with one of",
  help: "Passes when the answer begins with one of the phrases, ignoring case and leading white space.",
  args: z.strictObject({ phrases: phrasesSchema }),
  judge(answer, { phrases }) {
    const start = answer.text.length - answer.text.trimStart().length;
    const found = phrases
      .flatMap((phrase) => findPhrase(answer.text, phrase))
      .find((piece) => piece.start === start);
    return found === undefined
      ? failed(`starts with none of ${listOf(phrases)}`)
      : passed(`starts with "${found.text}"`, [found]);
  },
});
