/**
 * Check: where the answer names a person, a product or a long number, it is the prompt's own. What counts as a person
 * or a product is the bundled model's list; a long number has four digits or more. An answer that names none passes.
 */
import { z } from "zod";
import { names } from "../../scenarios/words/names.ts";
import { products } from "../../scenarios/words/products.ts";
import { failed, findPattern, isEmpty, missing, passed, wordsOf } from "./answer-text.ts";
import type { Piece } from "./answer-text.ts";
import { defineCheck } from "./check.ts";

const fieldNames = ["name", "product", "order"] as const;

export const namesNoOther = defineCheck({
  title: "names no other",
  help: "Fails when the answer names another person, product or order number than the prompt; missing when the prompt names none.",
  args: z.strictObject({
    field: z.enum(fieldNames).describe("Which part of the prompt must not be mixed up"),
  }),
  judge(answer, { field }, prompt) {
    const own = prompt.fields[field];
    if (own === undefined) return missing(`the prompt names no ${field}`);
    if (isEmpty(answer.text)) return failed("the answer is empty");
    const others = candidates(answer.text, field).filter((piece) => piece.text !== own);
    const first = others[0];
    return first === undefined
      ? passed(`no other ${field}`)
      : failed(`names "${first.text}", not "${own}"`, others);
  },
});

function candidates(text: string, field: (typeof fieldNames)[number]): Piece[] {
  if (field === "order") return findPattern(text, /\p{N}{4,}/gu);
  const known = new Set(field === "name" ? names : products);
  return wordsOf(text).filter((word) => known.has(word.text));
}
