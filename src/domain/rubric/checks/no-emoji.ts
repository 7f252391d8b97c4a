/** Check: no emoji, flags and smileys in letters such as :-) included; an empty answer fails. */
import { z } from "zod";
import { failed, findPattern, isEmpty, passed } from "./answer-text.ts";
import { defineCheck } from "./check.ts";

export const noEmoji = defineCheck({
  title: "has no emoji",
  help: "Fails on emoji and on smileys such as :-) .",
  args: z.strictObject({}),
  judge(answer) {
    if (isEmpty(answer.text)) return failed("the answer is empty");
    const found = findPattern(
      answer.text,
      /\p{Extended_Pictographic}|\p{Regional_Indicator}|(?<!\S)[:;]-?[)(DP](?!\S)/gu,
    );
    const first = found[0];
    return first === undefined ? passed("no emoji") : failed(`has ${first.text}`, found);
  },
});
