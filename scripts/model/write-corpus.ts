/**
 * Writes the bundled model's corpus: `npx tsx scripts/model/write-corpus.ts [--out .cache/corpus] [--seed 1] [--rows 100000]`.
 *
 * Output, one JSON object a line (`{"family", "prompt", "reply", "fields"}`), in training order:
 * `full.jsonl` (half of the rows), `rich.jsonl` (15 %), `base.jsonl` (35 %) and `held-out.jsonl` (2,000 rows of the
 * base mix whose prompts share no key with the others). Deterministic by seed. `encode_corpus.py` turns them into
 * token rows.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { phases } from "./corpus/family.ts";
import type { Phase } from "./corpus/family.ts";
import { drawRows } from "./corpus/rows.ts";
import type { Row } from "./corpus/rows.ts";

const SHARE: Readonly<Record<Phase, number>> = { full: 0.5, rich: 0.15, base: 0.35 };
const HELD_OUT_ROWS = 2_000;

const { values } = parseArgs({
  options: {
    out: { type: "string", default: ".cache/corpus" },
    seed: { type: "string", default: "1" },
    rows: { type: "string", default: "100000" },
  },
});
const seed = Number(values.seed);

function write(name: string, rows: readonly Row[]): void {
  writeFileSync(`${values.out}/${name}.jsonl`, rows.map((row) => JSON.stringify(row) + "\n").join(""));
}

mkdirSync(values.out, { recursive: true });
for (const phase of phases) {
  write(phase, drawRows(Math.round(Number(values.rows) * SHARE[phase]), { seed, phase, split: "train" }));
}
write("held-out", drawRows(HELD_OUT_ROWS, { seed, phase: "base", split: "held-out" }));
