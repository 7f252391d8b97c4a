/**
 * What promptfoo's assertions share (promptfoo 0.121.20, held to it by the fixture of scripts/fixtures/make-promptfoo-fixtures.ts):
 * plain text search, no word boundaries, and scores with a threshold.
 */
import { z } from "zod";
import type { Judgement } from "../../verdicts.ts";
import { failed, listOf, passed, type Piece } from "../answer-text.ts";
import { defineCheck, type PlainCheck } from "../check.ts";

export const valueSchema = z.string().min(1).describe("Text");
export const valuesSchema = z.array(z.string().min(1)).min(1).describe("Texts, one a line");

/** Every place of a text, one after the other. */
export function placesOf(text: string, part: string, anyCase: boolean): Piece[] {
  const fold = (each: string): string => (anyCase ? each.toLowerCase() : each);
  const [where, what] = [fold(text), fold(part)];
  const pieces: Piece[] = [];
  for (let at = where.indexOf(what); at !== -1; at = where.indexOf(what, at + Math.max(1, what.length))) {
    // some letters change their length with their case: then the place is not known, only that there is one
    const known = where.length === text.length;
    pieces.push(known ? pieceAt(text, at, at + what.length) : { text: part, start: 0, end: 0 });
  }
  return pieces;
}

export function pieceAt(text: string, start: number, end: number): Piece {
  return { text: text.slice(start, end), start, end };
}

/** `contains`, of one text. */
export function containsText(title: string, help: string, anyCase: boolean) {
  return defineCheck({
    title,
    help,
    args: z.strictObject({ value: valueSchema }),
    judge: ({ text }, { value }) => found(placesOf(text, value, anyCase), [value], []),
  });
}

/** `contains-any` and `contains-all`. */
export function containsTexts(title: string, help: string, how: { anyCase: boolean; all: boolean }) {
  return defineCheck({
    title,
    help,
    args: z.strictObject({ value: valuesSchema }),
    judge: ({ text }, { value }) => {
      const places = value.map((each) => ({ each, pieces: placesOf(text, each, how.anyCase) }));
      const lacking = places.filter(({ pieces }) => pieces.length === 0).map(({ each }) => each);
      const enough = how.all ? lacking.length === 0 : lacking.length < value.length;
      const pieces = places.flatMap((each) => each.pieces);
      return enough ? found(pieces, value, []) : found(how.all ? pieces : [], value, lacking);
    },
  });
}

function found(pieces: readonly Piece[], asked: readonly string[], lacking: readonly string[]): Judgement {
  const shown = pieces.filter(({ end }) => end > 0);
  if (lacking.length > 0) return failed(`lacks ${listOf(lacking)}`, shown);
  return pieces.length === 0
    ? failed(`no ${listOf(asked)}`)
    : passed(`contains ${listOf([...new Set(pieces.map(({ text }) => text))])}`, shown);
}

interface ScoreDef {
  readonly title: string;
  readonly help: string;
  /** promptfoo's own. */
  readonly threshold: number;
  readonly load?: () => Promise<void>;
  /** 0 to 1 */
  readonly score: (text: string, references: readonly string[]) => number;
}

/** A score against references with a least value, or counted as it is. */
export function scoreCheck({ title, help, threshold, load, score }: ScoreDef): PlainCheck<typeof args> {
  const args = scoreArgs(threshold);
  return {
    title,
    help,
    args,
    ...(load === undefined ? {} : { load }),
    judge: ({ text }, { value, threshold: least, graded }) => {
      const got = score(text, value);
      const said = `${got.toFixed(3)}, asked: ${least}`;
      if (graded) return { verdict: got, reason: got.toFixed(3), spans: [] };
      return got >= least ? passed(said) : failed(said);
    },
  };
}

/** Of checks that compare with references. */
export const gradedSchema = z
  .boolean()
  .default(false)
  .describe("Count the score itself instead of asking for the least one");

function scoreArgs(threshold: number) {
  return z.strictObject({
    value: z.array(z.string().min(1)).min(1).describe("Reference answers, one a line; the nearest counts"),
    threshold: z.number().min(0).max(1).default(threshold).describe("Least score, 0 to 1"),
    graded: gradedSchema,
  });
}
