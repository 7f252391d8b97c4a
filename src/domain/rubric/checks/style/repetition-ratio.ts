/** Check: how much is said again: the share of runs of n words that stood before, 1 - distinct / all. An empty answer fails. */
import { z } from "zod";
import { failed, isEmpty, passed, wordsOf, type Piece } from "../answer-text.ts";
import { defineCheck } from "../check.ts";

export const repetitionRatio = defineCheck({
  title: "repeats little",
  help: "Passes when at most a given share of the runs of n words stood in the answer before.",
  args: z.strictObject({
    n: z.int().min(1).max(12).default(3).describe("Words in a row that are compared"),
    most: z.number().min(0).max(1).default(0.1).describe("Largest share that may stand again, 0 to 1"),
  }),
  judge: ({ text }, { n, most }) => {
    if (isEmpty(text)) return failed("the answer is empty");
    const { share, again } = repeatedRuns(text, n);
    const said = `${(100 * share).toFixed(0)} % of ${n} words in a row stood before, at most ${(100 * most).toFixed(0)} %`;
    return share <= most ? passed(said, again) : failed(said, again);
  },
});

function repeatedRuns(text: string, n: number): { readonly share: number; readonly again: readonly Piece[] } {
  const words = wordsOf(text);
  const seen = new Set<string>();
  const again: Piece[] = [];
  const runs = Math.max(0, words.length - n + 1);
  for (let i = 0; i < runs; i++) {
    const run = words.slice(i, i + n);
    const key = run.map((word) => word.text.toLowerCase()).join(" ");
    const [start, end] = [run[0]?.start ?? 0, run.at(-1)?.end ?? 0];
    if (seen.has(key)) again.push({ text: text.slice(start, end), start, end });
    seen.add(key);
  }
  return { share: runs === 0 ? 0 : again.length / runs, again: joined(text, again) };
}

/** Overlapping pieces as one. */
function joined(text: string, pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    if (last === undefined || piece.start > last.end) result.push(piece);
    else
      result[result.length - 1] = {
        text: text.slice(last.start, piece.end),
        start: last.start,
        end: piece.end,
      };
  }
  return result;
}
