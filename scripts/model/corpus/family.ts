/**
 * What a family of the corpus is: one file that draws a message and writes a reply from parts, one line in the
 * registry. A part is present in one of several ways (told, vague, wrong ...) or absent, with set chances per phase;
 * every way has several phrasings, so that a model learns the part and not one sentence.
 */
import type { Rng } from "../../../src/base/rng.ts";
import { fill, pick } from "../../../src/domain/scenarios/grammar.ts";
import type { Message, Split } from "../../../src/domain/scenarios/grammar.ts";

/**
 * "full": every reply carries all that has to be copied; "rich": most parts are present; "base": the mix the model
 * ends with.
 */
export const phases = ["full", "rich", "base"] as const;
export type Phase = (typeof phases)[number];

/** One way in which a part can be present: its chance in each phase and its phrasings, with `{slots}`. */
export interface Way {
  readonly chance: Readonly<Record<Phase, number>>;
  readonly phrasings: readonly string[];
}

/** Ways exclude each other; what their chances leave open is the chance of absence. */
export interface Part {
  readonly id: string;
  readonly ways: readonly Way[];
}

export interface Family {
  readonly id: string;
  /** Its share of the rows. */
  readonly share: number;
  drawMessage(rng: Rng, split: Split): Message;
  writeReply(message: Message, phase: Phase, rng: Rng): string;
}

/** `way(full, rich, base, ...phrasings)`. */
export function way(full: number, rich: number, base: number, ...phrasings: string[]): Way {
  return { chance: { full, rich, base }, phrasings };
}

/** The same chance in all phases. */
export function always(chance: number, ...phrasings: string[]): Way {
  return way(chance, chance, chance, ...phrasings);
}

/** The tokens that a text takes at most, when every word of the corpus is one token. */
export function estimateTokens(text: string): number {
  return text.match(/\p{L}+|\d|\n|[^\s\p{L}\d]/gu)?.length ?? 0;
}

/** The parts of one reply in order, each present in one of its ways or absent. */
export function drawParts(
  parts: readonly Part[],
  phase: Phase,
  slots: Readonly<Record<string, string>>,
  rng: Rng,
): string[] {
  const texts: string[] = [];
  for (const part of parts) {
    let dice = rng.next();
    for (const each of part.ways) {
      dice -= each.chance[phase];
      if (dice >= 0) continue;
      // Filled twice: a slot may hold a phrase with slots of its own.
      texts.push(fill(fill(pick(each.phrasings, rng), slots), slots));
      break;
    }
  }
  return texts;
}

/** Joins parts to a letter: a part that starts or ends a line keeps its line break, others stand a space apart. */
export function joinParts(texts: readonly string[]): string {
  return texts
    .join(" ")
    .replaceAll(/ ?\n ?/g, "\n")
    .replaceAll(/\n+/g, "\n")
    .trim();
}

/** Not empty, and not a greeting alone. */
export function saysSomething(reply: string): boolean {
  return /[^,]$/.test(reply);
}
