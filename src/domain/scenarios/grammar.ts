/** Small pieces that prompts and corpus share: drawing from a list, filling `{slots}`, and the split of held-out data. */
import { defined } from "../../base/assert.ts";
import type { Rng } from "../../base/rng.ts";

/** One item, each with the same chance. */
export function pick<T>(items: readonly T[], rng: Rng): T {
  return defined(items[rng.below(items.length)], "scenarios/grammar pick from a list");
}

/** The template with every `{slot}` replaced; a slot without a value is `internal`. */
export function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, slot: string) =>
    defined(values[slot], `slot {${slot}} of "${template}"`),
  );
}

/** A user's message with its named parts. */
export interface Message {
  readonly text: string;
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * Training text and held-out prompts never share a key (an order number, or a case of name, injury and place):
 * one residue of eleven is kept for prompts of scenarios and measurements.
 */
export type Split = "train" | "held-out";

export function splitOf(key: number): Split {
  return key % 11 === 3 ? "held-out" : "train";
}
