/** Check: the answer takes up a named part of the prompt. A prompt without that part gives no verdict. */
import { z } from "zod";
import { failed, findPhrase, missing, passed } from "./answer-text.ts";
import { defineCheck } from "./check.ts";

export const containsPromptField = defineCheck({
  title: "contains the prompt's own",
  help: "Passes when the answer holds that part of the prompt, word for word; missing when the prompt has no such part.",
  args: z.strictObject({
    field: z.string().min(1).describe("Part of the prompt, e.g. name, product, order, problem or injury"),
  }),
  judge(answer, { field }, prompt) {
    const value = Object.hasOwn(prompt.fields, field) ? prompt.fields[field] : undefined;
    if (value === undefined || value.trim() === "") return missing(`the prompt names no ${field}`);
    const found = findPhrase(answer.text, value);
    return found.length === 0 ? failed(`no "${value}"`) : passed(`contains "${value}"`, found);
  },
});
