/** Check: the answer says something and holds none of the given phrases. An empty answer avoids nothing: it fails. */
import { z } from "zod";
import { failed, findAny, isEmpty, listOf, passed } from "./answer-text.ts";
import { defineCheck } from "./check.ts";
import { phrasesSchema } from "./contains-any.ts";

export const avoidsAny = defineCheck({
  title: "avoids all of",
  help: "Passes when the answer holds none of the phrases; an empty answer fails.",
  args: z.strictObject({ phrases: phrasesSchema }),
  judge(answer, { phrases }) {
    if (isEmpty(answer.text)) return failed("the answer is empty");
    const found = findAny(answer.text, phrases);
    const first = found[0];
    return first === undefined
      ? passed(`none of ${listOf(phrases)}`)
      : failed(`contains "${first.text}"`, found);
  },
});
