/**
 * A person's typed prompts: finds the parts that the bundled model can take up (a name, a product, a problem, an order
 * number, an injury, a body part), so that checks can ask for them. What a text does not hold stays out: verdicts
 * that need it are missing. Names and products outside the model's lists are hardly ever copied, so the page offers
 * `names` (words/names.ts) and `products` (words/products.ts).
 */
import type { ScenarioPrompt } from "../run/spec.ts";
import { toPrompt } from "./bundled-prompts.ts";
import { bodyParts, injuries } from "./words/injuries.ts";
import { names } from "./words/names.ts";
import { problems } from "./words/problems.ts";
import { products } from "./words/products.ts";

const withPattern = <T extends { readonly text: string }>(known: T): { known: T; pattern: RegExp } => ({
  known,
  pattern: new RegExp(String.raw`(?<!\p{L})${known.text}(?!\p{L})`, "iu"),
});
const knownProblems = problems.map(withPattern);
const knownInjuries = injuries.map(withPattern);

/** The parts of a typed message that are known; a name is also taken from "this is X", "I am X" and "X here". */
export function findFields(text: string): Record<string, string> {
  const words = text.match(/[\p{L}\p{M}]+/gu) ?? [];
  const problem = knownProblems.find(({ pattern }) => pattern.test(text))?.known;
  const injury = knownInjuries.find(({ pattern }) => pattern.test(text))?.known;
  const found: Record<string, string | undefined> = {
    name: words.find((word) => names.includes(word)) ?? introducedName(text),
    product: words.find((word) => products.includes(word)),
    order: /(?<!\d)\d{4,6}(?!\d)/.exec(text)?.[0],
    problem: problem?.text,
    cause: problem?.cause,
    ...(injury === undefined ? {} : injuryFields(injury, words)),
  };
  return Object.fromEntries(
    Object.entries(found).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function injuryFields(
  { text, first, second, avoid, sign }: (typeof injuries)[number],
  words: readonly string[],
): Record<string, string | undefined> {
  const part = words.find((word) => bodyParts.includes(word));
  return { injury: text, first: first.key, second: second.key, avoid: avoid.key, sign: sign.key, part };
}

function introducedName(text: string): string | undefined {
  const match =
    /(?:\b(?:[Tt]his is|[Mm]y name is|I am|I'm)\s+(\p{Lu}[\p{L}\p{M}'-]+))|(?:(\p{Lu}[\p{L}\p{M}'-]{1,60}) here\b)/u.exec(
      text,
    );
  return match?.[1] ?? match?.[2];
}

/** One prompt of a typed text; its id hangs on its place, so that it can be pinned. */
export function ownPrompt(text: string, index: number): ScenarioPrompt {
  const trimmed = text.trim();
  return toPrompt(`own-${index + 1}`, { text: trimmed, fields: findFields(trimmed) });
}

/** One prompt a line; empty lines are left out. */
export function ownPrompts(text: string): ScenarioPrompt[] {
  return text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
    .map((line, index) => ownPrompt(line, index));
}
