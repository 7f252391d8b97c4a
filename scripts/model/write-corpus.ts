/**
 * Writes the bundled model's corpus: `npx tsx scripts/model/write-corpus.ts [--out .cache/corpus] [--seed 1] [--rows 120000]`.
 *
 * Output, one JSON object a line (`{"family", "prompt", "reply", "fields"}`), in training order:
 * `full.jsonl` (half of the rows), `rich.jsonl` (15 %), `base.jsonl` (35 %) and `held-out.jsonl` (2,000 rows of the
 * base mix whose prompts share no key with the others). Deterministic by seed. `encode_corpus.py` turns them into
 * token rows.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createRng } from "../../src/base/rng.ts";
import type { Rng } from "../../src/base/rng.ts";
import type { Split } from "../../src/domain/scenarios/grammar.ts";
import { phases } from "./corpus/family.ts";
import type { Family, Phase } from "./corpus/family.ts";
import { families } from "./corpus/registry.ts";

const SHARE: Readonly<Record<Phase, number>> = { full: 0.5, rich: 0.15, base: 0.35 };
const HELD_OUT_ROWS = 2_000;

function drawFamily(rng: Rng): Family {
  const all: Family[] = Object.values(families);
  let dice = rng.next() * all.reduce((sum, family) => sum + family.share, 0);
  return all.find((family) => (dice -= family.share) < 0) ?? lastFamily(all);
}

/** Rounding can leave the dice at exactly 0: then it is the last family's. */
function lastFamily(all: readonly Family[]): Family {
  const last = all.at(-1);
  if (last === undefined) throw new Error("the corpus has no family");
  return last;
}

function writeRows(rows: number, phase: Phase, split: Split, rng: Rng): string {
  const lines: string[] = [];
  for (let i = 0; i < rows; i++) {
    const family = drawFamily(rng);
    const message = family.drawMessage(rng, split);
    const reply = family.writeReply(message, phase, rng);
    lines.push(JSON.stringify({ family: family.id, prompt: message.text, reply, fields: message.fields }));
  }
  return lines.join("\n") + "\n";
}

const { values } = parseArgs({
  options: {
    out: { type: "string", default: ".cache/corpus" },
    seed: { type: "string", default: "1" },
    rows: { type: "string", default: "120000" },
  },
});
mkdirSync(values.out, { recursive: true });
for (const phase of phases) {
  const rows = Math.round(Number(values.rows) * SHARE[phase]);
  writeFileSync(`${values.out}/${phase}.jsonl`, writeRows(rows, phase, "train", createRng(Number(values.seed), phase)));
}
const heldOut = writeRows(HELD_OUT_ROWS, "base", "held-out", createRng(Number(values.seed), "held-out"));
writeFileSync(`${values.out}/held-out.jsonl`, heldOut);
