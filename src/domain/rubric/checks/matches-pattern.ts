/** Check: the answer holds something of a well-known form. The patterns are fixed, so that none can take for ever. */
import { z } from "zod";
import { failed, findPattern, passed } from "./answer-text.ts";
import { defineCheck } from "./check.ts";

const patterns = {
  "phone number": /(?<![\p{L}\p{N}])\+?\d{2,4}(?:[ -]\d{2,4}){1,4}(?![\p{L}\p{N}])/gu,
  number: /(?<![\p{L}\p{N}])\d+(?:[.,]\d+)?(?![\p{L}\p{N}])/gu,
  weekday: /(?<!\p{L})(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day(?!\p{L})/giu,
  "e-mail address": /(?<![\p{L}\p{N}])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}/gu,
  "web address": /https?:\/\/[^\s<>"]{1,200}/giu,
  question: /\?/gu,
} as const satisfies Record<string, RegExp>;

const patternNames = Object.keys(patterns) as (keyof typeof patterns)[];

export const matchesPattern = defineCheck({
  title: "contains a",
  help: "Passes when the answer holds something of the chosen form.",
  args: z.strictObject({ pattern: z.enum(patternNames).describe("What is looked for") }),
  judge(answer, { pattern }) {
    const found = findPattern(answer.text, patterns[pattern]);
    const first = found[0];
    return first === undefined ? failed(`no ${pattern}`) : passed(`${pattern}: "${first.text}"`, found);
  },
});
