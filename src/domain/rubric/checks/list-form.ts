/** Check: the answer holds a list, as lines that begin with a number (1. or 1) in rising order from 1) or with a bullet (- * •). */
import { z } from "zod";
import { failed, findPattern, passed } from "./answer-text.ts";
import type { Piece } from "./answer-text.ts";
import { defineCheck } from "./check.ts";

export const listForm = defineCheck({
  title: "has a list",
  help: "Passes when enough lines form one list: numbered from 1 upward, or with bullets; each item must say something.",
  args: z.strictObject({ minItems: z.int().min(1).max(20).default(3).describe("Fewest items of the list") }),
  judge(answer, { minItems }) {
    const numbered = risingFromOne(findPattern(answer.text, /^[ \t]*\d{1,3}[.)][ \t]+\p{L}.*$/gmu));
    const bulleted = findPattern(answer.text, /^[ \t]*[-*•][ \t]+\p{L}.*$/gmu);
    const items = numbered.length >= bulleted.length ? numbered : bulleted;
    const said = `a list of ${items.length}, asked: ${minItems}`;
    return items.length >= minItems ? passed(said, items) : failed(said, items);
  },
});

/** The longest beginning that counts 1, 2, 3 ... */
function risingFromOne(items: readonly Piece[]): Piece[] {
  const wrong = items.findIndex((item, i) => Number.parseInt(item.text.trim(), 10) !== i + 1);
  return items.slice(0, wrong === -1 ? items.length : wrong);
}
