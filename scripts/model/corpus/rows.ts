/** Rows of the corpus, drawn by seed: the one place where families, phases and splits come together. */
import { createRng } from "../../../src/base/rng.ts";
import type { Rng } from "../../../src/base/rng.ts";
import { defined } from "../../../src/base/assert.ts";
import type { Split } from "../../../src/domain/scenarios/grammar.ts";
import type { Family, Phase } from "./family.ts";
import { families } from "./registry.ts";

export interface Row {
  readonly family: string;
  readonly prompt: string;
  readonly reply: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface RowOptions {
  readonly seed: number;
  readonly phase: Phase;
  readonly split: Split;
  /** Only this family instead of all by their shares. */
  readonly family?: Family;
}

/** The same rows for the same options; a longer run begins with the shorter one's rows. */
export function drawRows(count: number, { seed, phase, split, family }: RowOptions): Row[] {
  const rng = createRng(seed, phase, split);
  return Array.from({ length: count }, () => {
    const own = family ?? drawFamily(rng);
    const message = own.drawMessage(rng, split);
    const reply = own.writeReply(message, phase, rng);
    return { family: own.id, prompt: message.text, reply, fields: message.fields };
  });
}

function drawFamily(rng: Rng): Family {
  const all: Family[] = Object.values(families);
  let dice = rng.next() * all.reduce((sum, family) => sum + family.share, 0);
  // Rounding can leave the dice at exactly 0 after the last share: then it is the last family's.
  return defined(all.find((family) => (dice -= family.share) < 0) ?? all.at(-1), "corpus/rows family");
}
