/**
 * Check: the answer is well formed. All of these must hold, in this order; the first that does not is the reason:
 * 1. it is not empty and the model ended it itself;
 * 2. every sentence starts with a capital, a digit or an emoji (after a line that ends in a comma any letter will do);
 * 3. the last line ends in . ! ? or an emoji, or closes a letter (the line before it ends in a comma);
 * 4. no word stands twice in a row and no five words come again in the same order;
 * 5. with `words: "known"` every word is one of the bundled corpus or of the prompt; with "in order" its neighbours
 *    are too, so that shuffled phrases fail. "any" leaves out this point: use it for other models.
 */
import { z } from "zod";
import type { Answer, PromptFacts } from "../verdicts.ts";
import { failed, isEmpty, linesOf, passed, sentencesOf } from "./answer-text.ts";
import type { Piece } from "./answer-text.ts";
import { defineCheck } from "./check.ts";
import { findRepetition } from "./no-repetition.ts";
import { findUnknownPair, findUnknownWord } from "./word-order.ts";

const REPEATED_RUN = 5;
const argsSchema = z.strictObject({
  words: z
    .enum(["in order", "known", "any"])
    .default("in order")
    .describe(
      "Which words count as well formed: the bundled corpus's in an order it knows, its words, or any",
    ),
});

interface Fault {
  readonly reason: string;
  readonly piece?: Piece | undefined;
}

export const fluency = defineCheck({
  title: "is well formed",
  help: "Passes when the answer ended, starts its sentences with capitals, repeats nothing and uses known words in a known order.",
  args: argsSchema,
  judge(answer, { words }, prompt) {
    const fault = findShapeFault(answer) ?? findWordFault(answer.text, words, prompt);
    if (fault === null) return passed("ended, nothing repeated, sentences and words in order");
    return failed(fault.reason, fault.piece === undefined ? [] : [fault.piece]);
  },
});

function findShapeFault(answer: Answer): Fault | null {
  if (isEmpty(answer.text)) return { reason: "the answer is empty" };
  if (!answer.ended) return { reason: "cut at the length limit" };
  const lines = linesOf(answer.text);
  const afterComma = new Set(
    lines.filter((_, i) => lines[i - 1]?.text.trimEnd().endsWith(",")).map((line) => line.start),
  );
  const small = sentencesOf(answer.text).find(
    (sentence) =>
      !afterComma.has(sentence.start) &&
      !/^["'(]?[\p{Lu}\p{N}\p{Extended_Pictographic}]/u.test(sentence.text),
  );
  if (small !== undefined)
    return { reason: `"${small.text.slice(0, 20)}" starts without a capital`, piece: small };
  const last = lines.at(-1);
  if (
    last !== undefined &&
    !afterComma.has(last.start) &&
    !/[.!?\p{Extended_Pictographic}]["')]?\s*$/u.test(last.text)
  ) {
    return { reason: "the last sentence has no end", piece: last };
  }
  const again = findRepetition(answer.text, REPEATED_RUN);
  return again === null ? null : { reason: `repeats "${again.text}"`, piece: again };
}

function findWordFault(
  text: string,
  words: z.output<typeof argsSchema>["words"],
  prompt: PromptFacts,
): Fault | null {
  if (words === "any") return null;
  const unknown = findUnknownWord(text, prompt.text);
  if (unknown !== null) return { reason: `unknown word "${unknown.text}"`, piece: unknown };
  if (words === "known") return null;
  const pair = findUnknownPair(text, prompt.text);
  if (pair === null) return null;
  return { reason: `"${pair.piece.text.slice(0, 30)}" does not fit where it stands`, piece: pair.piece };
}
