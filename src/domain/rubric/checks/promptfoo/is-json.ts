/** promptfoo `is-json`: the whole answer is JSON, and fits a schema where one is given. */
import { defineAskingCheck } from "../check.ts";
import { isJson } from "./equals.ts";
import { jsonArgs, judgeJson } from "./json-texts.ts";

export const wholeJson = defineAskingCheck({
  title: "is JSON",
  help: "Passes when the whole answer is JSON and fits the schema, where there is one.",
  args: jsonArgs,
  ask: (answers, args, _prompt, tools) => {
    const found = answers.map(({ text }) =>
      isJson(text) ? [{ text, span: [0, text.length] as const }] : [],
    );
    return judgeJson(found, args, tools, "the answer is not JSON");
  },
});
