/** Check: the answer ends with one of the given phrases. A cut answer has no end: it fails. */
import { z } from "zod";
import { failed, findPattern, findPhrase, listOf, passed } from "./answer-text.ts";
import { defineCheck } from "./check.ts";
import { phrasesSchema } from "./contains-any.ts";

export const endsWithAny = defineCheck({
  title: "ends with one of",
  help: "Passes when the last words are one of the phrases, ignoring case and closing marks; a cut answer fails.",
  args: z.strictObject({ phrases: phrasesSchema }),
  judge(answer, { phrases }) {
    if (!answer.ended) return failed("cut at the length limit");
    const end = findPattern(answer.text, /[\p{L}\p{N}]/gu).at(-1)?.end ?? 0;
    const found = phrases
      .flatMap((phrase) => findPhrase(answer.text, phrase))
      .find((piece) => piece.end >= end && piece.start < end);
    return found === undefined
      ? failed(`ends with none of ${listOf(phrases)}`)
      : passed(`ends with "${found.text}"`, [found]);
  },
});
