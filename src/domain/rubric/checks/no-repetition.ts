/** Check: nothing is said twice: no word twice in a row within a sentence, no run of words again, no sentence again. An empty answer fails. */
import { z } from "zod";
import { failed, isEmpty, passed, wordsOf } from "./answer-text.ts";
import type { Piece } from "./answer-text.ts";
import { defineCheck } from "./check.ts";

export const noRepetition = defineCheck({
  title: "repeats nothing",
  help: "Fails when a word stands twice in a row, or when a run of words comes again later.",
  args: z.strictObject({
    run: z.int().min(2).max(12).default(5).describe("So many words in the same order again are a repetition"),
  }),
  judge(answer, { run }) {
    if (isEmpty(answer.text)) return failed("the answer is empty");
    const found = findRepetition(answer.text, run);
    return found === null ? passed("nothing repeated") : failed(`repeats "${found.text}"`, [found]);
  },
});

/** The first word that follows itself, or the first run of `run` words that stood before; null when there is none. */
export function findRepetition(text: string, run: number): Piece | null {
  const words = wordsOf(text);
  const seen = new Set<string>();
  for (const [i, word] of words.entries()) {
    const previous = words[i - 1];
    if (previous !== undefined && followsItself(text, previous, word)) return word;
    const start = words[i - run + 1];
    if (start === undefined) continue;
    const phrase = words.slice(i - run + 1, i + 1).map((each) => each.text.toLowerCase());
    const key = phrase.join(" ");
    if (seen.has(key)) return { text: text.slice(start.start, word.end), start: start.start, end: word.end };
    seen.add(key);
  }
  return null;
}

/** Only white space between: "use it. It helps" is no repetition. */
function followsItself(text: string, previous: Piece, word: Piece): boolean {
  return (
    word.text.toLowerCase() === previous.text.toLowerCase() &&
    text.slice(previous.end, word.start).trim() === ""
  );
}
