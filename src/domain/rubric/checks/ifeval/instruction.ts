/**
 * What IFEval's instructions share (arXiv 2311.07911; lm-eval 0.4.13, lm_eval/tasks/ifeval/utils.py): an empty answer follows
 * nothing; "loose" passes when the answer follows without its asterisks, its first line, its last line, or any of these
 * together. Python's notions of white space, letters and word boundaries are kept: the verdicts are the reference's.
 */
import { z } from "zod";
import { failed, passed, type Piece } from "../answer-text.ts";
import type { PlainCheck } from "../check.ts";

export const mode = z
  .enum(["strict", "loose"])
  .default("strict")
  .describe("Strict, or loose: also without *, the first line or the last line");
export const relation = z.enum(["less than", "at least"]);

/**
 * A word or phrase that the reference reads as a pattern. Signs that could make a pattern take for ever are refused, as nothing
 * here ends one that runs.
 */
export const phrase = z
  .string()
  .min(1)
  .regex(/^[^*+?{}()[\]\\|]*$/, "a word or phrase without the signs * + ? { } ( ) [ ] | and backslash");

/** Whether a text follows, in words, with the places that decided where there are any. */
interface Finding {
  readonly follows: boolean;
  readonly said: string;
  readonly pieces?: readonly Piece[];
}

interface InstructionDef<Args extends z.ZodType<{ readonly mode: "strict" | "loose" }>> {
  readonly title: string;
  readonly help: string;
  readonly args: Args;
  /** Loads what the check needs and the page does not hold from the start. */
  readonly load?: () => Promise<void>;
  readonly find: (text: string, args: z.output<Args>) => Finding;
}

/** A check of IFEval's from what one text must do. */
export function instruction<Args extends z.ZodType<{ readonly mode: "strict" | "loose" }>>(
  def: InstructionDef<Args>,
): PlainCheck<Args> {
  const { find, ...rest } = def;
  return {
    ...rest,
    judge({ text }, args) {
      const first = strip(text) === "" ? { follows: false, said: "the answer is empty" } : find(text, args);
      if (first.follows) return passed(first.said, first.pieces);
      const variants = args.mode === "loose" ? looseForms(text) : [];
      const later = variants.filter((form) => strip(form) !== "").find((form) => find(form, args).follows);
      if (later === undefined) return failed(first.said, first.pieces);
      return passed(`${find(later, args).said}, read loosely`);
    },
  };
}

/** The answer without its asterisks, first line, last line, and together. */
function looseForms(text: string): string[] {
  const lines = text.split("\n");
  const cut = [lines.slice(1), lines.slice(0, -1), lines.slice(1, -1)].map((part) => strip(part.join("\n")));
  return [...cut, ...[text, ...cut].map((part) => part.replaceAll("*", ""))];
}

export function compares(count: number, asked: z.output<typeof relation>, threshold: number): boolean {
  return asked === "less than" ? count < threshold : count >= threshold;
}

/** What Python's str.strip and `\s` take for white space, for a character class. */
export const SPACE = String.raw`\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;
const AROUND = new RegExp(`^[${SPACE}]+|[${SPACE}]+$`, "gu");

export function strip(text: string): string {
  return text.replace(AROUND, "");
}

/** What Python's `\w` takes, for a character class. */
export const WORD = String.raw`\p{L}\p{N}_`;

/** Every match as a piece, ignoring nothing. */
export function matches(text: string, pattern: RegExp): Piece[] {
  return [...text.matchAll(pattern)].map((match) => ({
    text: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** A pattern as the reference's data writes it, in Python's syntax where that is JavaScript's too; letters of either case. */
export function keywordPattern(keyword: string, whole = false): RegExp {
  const source = whole ? `(?<![${WORD}])(?:${keyword})(?![${WORD}])` : keyword;
  return new RegExp(source, "giu");
}

/** str.isupper and str.islower: a letter with a case, and none of the other. */
export function isUpper(text: string): boolean {
  return /\p{Uppercase}/u.test(text) && !/[\p{Lowercase}\p{Lt}]/u.test(text);
}
export function isLower(text: string): boolean {
  return /\p{Lowercase}/u.test(text) && !/[\p{Uppercase}\p{Lt}]/u.test(text);
}
