/**
 * How checks read an answer: phrases, words, lines and sentences with their places, and the three kinds of judgement.
 * Everything here takes time in proportion to the text: a person may paste anything.
 */
import type { Judgement } from "../verdicts.ts";

/** A piece of the answer with its place [start, end). */
export interface Piece {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export function passed(reason: string, pieces: readonly Piece[] = []): Judgement {
  return { verdict: 1, reason, spans: pieces.map(({ start, end }) => [start, end] as const) };
}

export function failed(reason: string, pieces: readonly Piece[] = []): Judgement {
  return { verdict: 0, reason, spans: pieces.map(({ start, end }) => [start, end] as const) };
}

/** No verdict could be had, with the reason. */
export function missing(reason: string): Judgement {
  return { verdict: null, reason, spans: [] };
}

/** So many texts are remembered: a step's answers, which every criterion reads. */
const MOST_REMEMBERED = 128;

/** The same function, which reads a text once for all criteria that ask; what it gives is shared and must not be changed. */
function remembered<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    if (known.size >= MOST_REMEMBERED) known.clear();
    const value = read(text);
    known.set(text, value);
    return value;
  };
}

/** Every match of a pattern (flags `g` and `u`) as a piece. */
export function findPattern(text: string, pattern: RegExp): Piece[] {
  return [...text.matchAll(pattern)].map((match) => ({
    text: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** Places of a phrase, ignoring case; where it begins or ends with a letter or digit, only whole words count. */
export function findPhrase(text: string, phrase: string): Piece[] {
  return findPattern(text, phrasePattern(phrase));
}

const phrasePattern = remembered((phrase): RegExp => {
  const trimmed = phrase.trim();
  const escaped = trimmed
    .replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
    .replaceAll(/\s+/g, String.raw`\s+`);
  const before = /^[\p{L}\p{N}]/u.test(trimmed) ? String.raw`(?<![\p{L}\p{N}])` : "";
  const after = /[\p{L}\p{N}]$/u.test(trimmed) ? String.raw`(?![\p{L}\p{N}])` : "";
  return new RegExp(before + escaped + after, "giu");
});

/** Places of any of the phrases, in the order of the text. */
export function findAny(text: string, phrases: readonly string[]): Piece[] {
  return phrases.flatMap((phrase) => findPhrase(text, phrase)).sort((a, b) => a.start - b.start);
}

/** Words (runs of letters, inner apostrophes kept) and numbers (runs of digits). */
export const wordsOf = remembered((text): readonly Piece[] =>
  findPattern(text, /\p{L}[\p{L}\p{M}]*(?:['’]\p{L}+)*|\p{N}+/gu),
);

/** Lines that hold more than white space. */
export const linesOf = remembered((text): readonly Piece[] =>
  findPattern(text, /[^\r\n]+/gu).filter((line) => !isEmpty(line.text)),
);

/** Sentences: runs within a line up to `.`, `!` or `?` before a space or the line's end; a list's "1." does not end one. */
export const sentencesOf = remembered((text): readonly Piece[] =>
  linesOf(text).flatMap((line) => {
    const sentences: Piece[] = [];
    let from = 0;
    const cut = (to: number): void => {
      const raw = line.text.slice(from, to);
      const start = line.start + from + raw.length - raw.trimStart().length;
      const sentence = raw.trim();
      if (sentence !== "") sentences.push({ text: sentence, start, end: start + sentence.length });
      from = to;
    };
    for (const mark of findPattern(line.text, /[.!?]+/gu)) {
      if (/\S/u.test(line.text.charAt(mark.end))) continue;
      if (!/^\s*\d{1,3}\.$/u.test(line.text.slice(from, mark.end))) cut(mark.end);
    }
    cut(line.text.length);
    return sentences;
  }),
);

export function isEmpty(text: string): boolean {
  return text.trim() === "";
}

/** `"a", "b" or "c"`, at most five of them. */
export function listOf(phrases: readonly string[]): string {
  const shown = phrases.slice(0, 5).map((phrase) => `"${phrase}"`);
  const more = phrases.length > 5 ? [`${phrases.length - 5} more`] : [];
  return [...shown, ...more].join(", ");
}
