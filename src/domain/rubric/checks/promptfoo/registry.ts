/** promptfoo's deterministic assertions by the name that a criterion's `check.type` holds: `promptfoo:` and the type there. */
import type { CheckDef } from "../check.ts";
import { bleu } from "./bleu.ts";
import { containsAllTexts } from "./contains-all.ts";
import { containsAnyText } from "./contains-any.ts";
import { containsJson } from "./contains-json.ts";
import { contains } from "./contains.ts";
import { equals } from "./equals.ts";
import { icontainsAll } from "./icontains-all.ts";
import { icontainsAny } from "./icontains-any.ts";
import { icontains } from "./icontains.ts";
import { wholeJson } from "./is-json.ts";
import { javascript } from "./javascript.ts";
import { levenshtein } from "./levenshtein.ts";
import { regex } from "./regex.ts";
import { rougeN } from "./rouge-n.ts";
import { startsWith } from "./starts-with.ts";
import { promptfooWordCount } from "./word-count.ts";

export const promptfooChecks = {
  "promptfoo:equals": equals,
  "promptfoo:contains": contains,
  "promptfoo:icontains": icontains,
  "promptfoo:contains-any": containsAnyText,
  "promptfoo:contains-all": containsAllTexts,
  "promptfoo:icontains-any": icontainsAny,
  "promptfoo:icontains-all": icontainsAll,
  "promptfoo:starts-with": startsWith,
  "promptfoo:regex": regex,
  "promptfoo:is-json": wholeJson,
  "promptfoo:contains-json": containsJson,
  "promptfoo:word-count": promptfooWordCount,
  "promptfoo:levenshtein": levenshtein,
  "promptfoo:rouge-n": rougeN,
  "promptfoo:bleu": bleu,
  "promptfoo:javascript": javascript,
} satisfies Record<string, CheckDef>;
