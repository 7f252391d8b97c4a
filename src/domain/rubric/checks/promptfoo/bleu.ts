/**
 * promptfoo `bleu` (Papineni et al. 2002): geometric mean of the clipped precisions of 1 to 4 words in a row, times
 * exp(1 - r / c) for an answer of c words shorter than the reference of nearest length r. Words are lower-cased and split at white
 * space; a precision of 0 counts as 1e-7.
 */
import { countsOf, overlap, runsOf } from "./word-runs.ts";
import { scoreCheck } from "./texts.ts";

const LONGEST_RUN = 4;
const NO_MATCH = 1e-7;

export const bleu = scoreCheck({
  title: "shares word groups (BLEU)",
  help: "Passes when enough runs of up to four words stand in a reference too, by the BLEU score.",
  threshold: 0.5,
  score: (text, references) => bleuScore(text, references),
});

const wordsOf = (text: string): string[] => text.toLowerCase().trim().split(/\s+/);

/** 0 to 1; 0 for an empty answer. */
export function bleuScore(text: string, references: readonly string[]): number {
  if (text.trim() === "") return 0;
  const words = wordsOf(text);
  const others = references.map(wordsOf);
  const logs = Array.from({ length: LONGEST_RUN }, (_, i) => {
    const own = runsOf(words, i + 1);
    const counts = countsOf(own);
    const shared = Math.max(...others.map((each) => overlap(counts, countsOf(runsOf(each, i + 1)))));
    return Math.log(own.length === 0 || shared === 0 ? NO_MATCH : shared / own.length);
  });
  const apart = (length: number): number => Math.abs(length - words.length);
  const nearest = others.map((each) => each.length).reduce((a, b) => (apart(b) < apart(a) ? b : a));
  const brevity = words.length > nearest ? 1 : Math.exp(1 - nearest / words.length);
  return brevity * Math.exp(logs.reduce((sum, log) => sum + log, 0) / LONGEST_RUN);
}
