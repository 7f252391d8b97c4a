/**
 * Counts sentences as NLTK's Punkt does for English (Kiss and Strunk 2006). Departures: 1. of its 20,000 words' habits of
 * capital letters only those of everyday words are kept; 2. its 36 collocations are left out.
 */
import { ABBREVIATIONS, EVERYDAY, STARTERS } from "../generated/punkt-english.ts";
import { strip } from "./instruction.ts";

const abbreviations = new Set(ABBREVIATIONS.split(" "));
const starters = new Set(STARTERS.split(" "));
const everyday = new Set(EVERYDAY.split(" "));

/** A possible end: a mark with what closes it, before white space and another token, or before what cannot go on a word. */
const END = /[.?!]+(?=[)";}\]*:@'({[!?]|\s+\S)/gu;
/** Closing marks that go with the sentence before. */
const CLOSING = /^["')\]}]+?(?=\s|--|$)/u;

export function countSentences(text: string): number {
  const whole = strip(text);
  let count = 0;
  let from = 0;
  for (const mark of whole.matchAll(END)) {
    const end = mark.index + mark[0].length;
    if (mark.index < from || !endsSentence(whole, end)) continue;
    from = end + (CLOSING.exec(whole.slice(end))?.[0].length ?? 0);
    count += 1;
  }
  return count + (strip(whole.slice(from)) === "" ? 0 : 1);
}

function endsSentence(text: string, end: number): boolean {
  const token = /\S*$/u.exec(text.slice(Math.max(0, end - 80), end))?.[0] ?? "";
  const word = token.replace(/^[^\p{L}\p{N}.#]+/u, "");
  const next = /^\s*(\S+)/u.exec(text.slice(end, end + 80))?.[1] ?? "";
  if (!word.endsWith(".")) return true;
  if (word.endsWith("..")) return begins(next) === true;
  return endsAfter(word.slice(0, -1).toLowerCase(), next);
}

/** Whether a full stop after `stem` ends a sentence, or belongs to an abbreviation, an initial or a number. */
function endsAfter(stem: string, next: string): boolean {
  const likely = begins(next);
  if (/^\p{L}$/u.test(stem)) return likely ?? !isCapital(next);
  if (/^-?[\d.,]+$/u.test(stem)) return likely ?? true;
  const short = abbreviations.has(stem) || abbreviations.has(stem.split("-").at(-1) ?? "");
  return !short || likely === true || (starters.has(plain(next)) && isCapital(next));
}

const plain = (token: string): string => token.toLowerCase().replace(/[^\p{L}\p{N}]+$/u, "");
const isCapital = (token: string): boolean => /^\p{Lu}/u.test(token);

/** Punkt's orthographic heuristic: whether the next token begins a sentence; null = cannot be told. */
function begins(token: string): boolean | null {
  if (/^[;:,.!?]/u.test(token)) return false;
  if (isCapital(token)) return everyday.has(plain(token)) ? true : null;
  return /^\p{Ll}/u.test(token) ? false : null;
}
